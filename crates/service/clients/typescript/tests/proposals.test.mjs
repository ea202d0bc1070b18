/** From a proposal to its effect. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { Float, SwampBoxError, Unreachable, write } from "../dist/index.js";
import { Served, file } from "./served.mjs";

test("what is proposed happens once somebody allows it", async (t) => {
  const served = await Served.begin(t);
  await served.client("ann").execution(async (execution) => {
    const held = await execution.propose("file.write", "site", file("a", "hello"));
    assert.ok((await held.release()).pending);
    const [release] = await Promise.all([held.release({ wait: 60 }), served.decide(held.id)]);
    assert.equal(release.status, "RELEASED");
    assert.equal(release.reason, "actuator_succeeded");
    assert.ok(release.released);
  });
  assert.equal(served.written("a"), "hello");
});

test("a proposal that is far too large is refused as such", async (t) => {
  const served = await Served.begin(t);
  const execution = await served.client("ann").begin();
  for (const megabytes of [5, 24]) {
    const content = "x".repeat(megabytes << 20);
    await assert.rejects(execution.propose("file.write", "site", file("a", content)), {
      code: "too_large",
    });
  }
});

test("a release that waits goes on when the service comes back", async (t) => {
  const served = await Served.begin(t);
  const execution = await served.client("ann").begin();
  const held = await execution.propose("file.write", "site", file("a", "hello"));
  await held.release();
  const waiting = held.release({ wait: 60 });
  await served.kill();
  await served.start();
  await served.decide(held.id);
  assert.equal((await waiting).status, "RELEASED");
});

test("the same key proposes once, and no other thing", async (t) => {
  const served = await Served.begin(t);
  const execution = await served.client("ann").begin();
  const propose = (content) =>
    execution.propose("file.write", "site", file("a", content), { idempotencyKey: "first" });
  assert.equal((await propose("x")).id, (await propose("x")).id);
  await assert.rejects(propose("y"), (error) => {
    assert.ok(error instanceof SwampBoxError && error.remedy);
    assert.deepEqual([error.code, error.status], ["idempotency_mismatch", 409]);
    return true;
  });
});

test("what an execution leaves behind is adopted by the next", async (t) => {
  const served = await Served.begin(t);
  const client = served.client("ann");
  const left = await client.execution((first) => first.propose("file.write", "site", file("a", "")));
  const second = await client.begin();
  assert.equal((await second.adopt(left.id)).id, left.id);
  const third = await client.begin();
  await (await second.held(left.id)).transfer(third);
  assert.equal(await (await third.held(left.id)).state(), "CONTAINED");
});

test("what goes wrong inside comes out, also if the end is refused", async (t) => {
  const served = await Served.begin(t);
  const work = served.client("ann").execution(async (execution) => {
    await execution.end();
    throw new Error("inside");
  });
  await assert.rejects(work, { message: "inside" });
});

test("nobody there is an error of its own", async (t) => {
  const served = await Served.begin(t);
  const client = served.client("ann");
  await served.kill();
  await assert.rejects(client.createExecution(), (error) => {
    assert.ok(error instanceof Unreachable);
    assert.equal(error.code, "service_unreachable");
    return true;
  });
});

test("values of any size are the same when they are read again", async (t) => {
  const served = await Served.begin(t);
  const execution = await served.client("ann").begin();
  const request = { method: "POST", url: `${served.origin}/`, body: "x" };
  const held = await execution.propose("http.request", served.origin, request);
  await held.release();
  await served.decide(held.id);
  assert.equal((await held.release({ wait: 60 })).status, "UNCERTAIN");
  const evidence = {
    integers: [2n ** 64n + 1n, -(2n ** 53n), 1, 0],
    floats: [new Float(1), new Float(-0), new Float(1e22), 5e-324, 0.1],
  };
  const olga = served.client("olga");
  await olga.resolveConsequence(held.id, { verdict: "unresolved", evidence });
  const { resolutions } = await olga.storyOfConsequence(held.id);
  assert.equal(write(resolutions[0].evidence), write(evidence));
  assert.deepEqual(resolutions[0].evidence, evidence);
});
