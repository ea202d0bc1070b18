/** A service of its own for each test. SWAMPBOX names the command that serves it. */

import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

import { Client } from "../dist/index.js";

const PROGRAM = process.env.SWAMPBOX;
const PRINCIPALS = { ann: "agent", carl: "approver", olga: "operator", udo: "auditor" };

export class Served {
  /** Begins a service, which ends after the test. `origin` is a target that hangs up. */
  static async begin(test) {
    const served = new Served();
    served.home = mkdtempSync(join(tmpdir(), "swampbox-"));
    test.after(() => served.end());
    served.outside = createServer((socket) => socket.on("data", () => socket.destroy()));
    served.outside.listen(0, "127.0.0.1");
    await once(served.outside, "listening");
    served.origin = `http://127.0.0.1:${served.outside.address().port}`;
    mkdirSync(join(served.home, "site"));
    let configuration = `
      [authority]
      first = ["approvals"]
      [approvals]
      approvers = ["carl"]
      [[file]]
      target = "site"
      directory = "site"
      [[http]]
      target = "${served.origin}"
      private = true
    `;
    for (const [name, role] of Object.entries(PRINCIPALS)) {
      configuration += served.command("principal", name, "--role", role, "--key-file", `${name}.key`);
    }
    writeFileSync(join(served.home, "swampbox.toml"), configuration);
    served.command("init", "--ledger", "ledger.db");
    served.address = "127.0.0.1:0";
    await served.start();
    return served;
  }

  command(...words) {
    return execFileSync(PROGRAM, words, { cwd: this.home, encoding: "utf8" });
  }

  /** Starts the service, the second time at the same address as the first. */
  async start() {
    const words = ["--ledger", "ledger.db", "--config", "swampbox.toml", "--log-level", "error"];
    this.process = spawn(PROGRAM, ["serve", "--listen", this.address, ...words], {
      cwd: this.home,
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [line] = await once(createInterface(this.process.stdout), "line");
    this.url = line.slice("listening on ".length);
    this.address = this.url.slice("http://".length);
  }

  async kill() {
    const ended = once(this.process, "exit");
    this.process.kill("SIGKILL");
    await ended;
  }

  async end() {
    if (this.process?.exitCode === null && this.process.signalCode === null) await this.kill();
    this.outside?.close();
    rmSync(this.home, { recursive: true });
  }

  client(name) {
    const key = readFileSync(join(this.home, `${name}.key`), "utf8").trim();
    return new Client(this.url, key);
  }

  written(name) {
    return readFileSync(join(this.home, "site", name), "utf8");
  }

  /** Decides as carl, as soon as there is a request. */
  async decide(consequence, verdict = "ALLOW") {
    const carl = this.client("carl");
    const asked = async () => {
      const { requests } = await carl.listApprovals();
      return requests.some((request) => request.consequence_id === consequence);
    };
    while (!(await asked()));
    const { request } = await carl.showApproval(consequence);
    const vote = { digest: request.digest, verdict, reason: "looked at", window_seconds: 60 };
    await carl.decideApproval(consequence, vote);
  }
}

export const file = (path, content) => ({ path, content, expected_sha256: null });
