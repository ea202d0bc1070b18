/** One life of an agent, and what it proposes. */

import { Api } from "./api.js";
import { Unreachable, passes } from "./errors.js";
import type { Json } from "./json.js";
import { type Document, pause } from "./link.js";

/** A release that waits longer asks again after so many seconds. */
const SLICE = 240;

/** How an attempt to release ended. */
export class Release {
  readonly consequenceId: string;
  /** CONTAINED, RELEASED or UNCERTAIN. */
  readonly status: string;
  /** Its code, such as actuator_succeeded or authority_pending. */
  readonly reason: string;
  readonly message: string;
  readonly authorityDecisionId: string | null;
  readonly actuatorOutcome: string | null;

  constructor(document: Document) {
    this.consequenceId = String(document["consequence_id"]);
    this.status = String(document["status"]);
    this.reason = String(document["reason"]);
    this.message = String(document["message"]);
    this.authorityDecisionId = document["authority_decision_id"] as string | null;
    this.actuatorOutcome = document["actuator_outcome"] as string | null;
  }

  /** Whether the effect happened. */
  get released(): boolean {
    return this.status === "RELEASED";
  }

  /** Whether nobody has decided yet. */
  get pending(): boolean {
    return this.reason === "authority_pending";
  }
}

/** A consequence that an execution proposed. */
export class Consequence {
  constructor(
    private readonly api: Api,
    /** As it was when it was submitted. */
    readonly document: Document,
  ) {}

  /** Its id. */
  get id(): string {
    return String(this.document["consequence_id"]);
  }

  /** CONTAINED, RELEASED or UNCERTAIN, now. */
  async state(): Promise<string> {
    return String((await this.api.stateOfConsequence(this.id))["release_state"]);
  }

  /** Asks for its release, and waits so many seconds for a decision that is pending.
   *
   * While it waits, a connection that is lost is made again. The effect happens once at the most, and if the
   * answer was lost the result has the state that the consequence is in. */
  async release({ wait = 0 }: { wait?: number } = {}): Promise<Release> {
    const until = Date.now() + wait * 1000;
    let lost = false;
    for (;;) {
      const begun = Date.now();
      const left = Math.max(0, Math.min(SLICE, Math.floor((until - begun) / 1000)));
      let document: Document;
      try {
        document = await this.api.releaseConsequence(this.id, { wait_seconds: left });
      } catch (error) {
        if (!passes(error) || Date.now() >= until) throw error;
        lost ||= error instanceof Unreachable;
        await pause(0.5);
        continue;
      }
      const release = new Release(document);
      if (lost && release.reason === "consequence_not_releasable") {
        return new Release({ ...document, status: await this.state() });
      }
      if (!release.pending || until - Date.now() < 1000) return release;
      // A service that stops, or lets nobody wait that long, has answered early.
      await pause(Math.max(0, Math.min(1, (begun + 1000 - Date.now()) / 1000)));
    }
  }

  /** Hands it to another execution. */
  async transfer(to: Execution): Promise<void> {
    await this.api.transferConsequence(this.id, { target_execution_id: to.id });
  }

  /** Takes the request for its release back. */
  async withdraw(): Promise<void> {
    await this.api.withdrawApproval(this.id);
  }
}

/** An execution, with the token that acts as it. */
export class Execution implements AsyncDisposable {
  constructor(
    /** The operations, with the token of the execution. */
    readonly api: Api,
    readonly id: string,
    readonly token: string,
  ) {}

  /** Submits a consequence, once, however often the connection is lost meanwhile.
   *
   * Under the same key the same proposal is the same consequence. Without one, each call makes a new one. */
  async propose(
    type: string,
    target: string,
    payload: Json,
    { idempotencyKey, parent }: { idempotencyKey?: string; parent?: Consequence } = {},
  ): Promise<Consequence> {
    const document = await this.api.submitConsequence(
      { consequence_type: type, target, payload, parent_consequence_id: parent?.id },
      idempotencyKey ?? crypto.randomUUID(),
    );
    return new Consequence(this.api, document);
  }

  /** Takes up what another execution of the same principal left behind. */
  async adopt(consequence: string): Promise<Consequence> {
    return new Consequence(this.api, await this.api.adoptConsequence(consequence));
  }

  /** A consequence that it holds. */
  async held(consequence: string): Promise<Consequence> {
    return new Consequence(this.api, await this.api.readConsequence(consequence));
  }

  /** Ends it. What it holds is quarantined. */
  async end(): Promise<void> {
    await this.api.endExecution(this.id);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.end();
  }
}
