/** The stream of events. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { SwampBoxError, Unreachable } from "../dist/index.js";
import { Served, file } from "./served.mjs";

test("it goes on where it stopped when the connection was lost", async (t) => {
  const served = await Served.begin(t);
  const execution = await served.client("ann").begin();
  const propose = (number) => execution.propose("file.write", "site", file(`${number}`, ""));
  const events = served.client("udo").events({ from: 1 });
  const seen = [];
  const see = async (count) => {
    for (; count > 0; count -= 1) seen.push((await events.next()).value.sequence);
  };
  await see(2);
  for (let number = 0; number < 10; number += 1) await propose(number);
  await see(5);
  await served.kill();
  const going = see(5);
  await served.start();
  await going;
  for (let number = 10; number < 15; number += 1) await propose(number);
  await see(5);
  await events.return();
  assert.deepEqual(seen, Array.from({ length: 17 }, (_, index) => index + 1));
});

test("without a number it begins with the next event", async (t) => {
  const served = await Served.begin(t);
  const udo = served.client("udo");
  await served.client("ann").begin();
  const last = (await udo.showLedger()).last_event.sequence;
  const events = udo.events();
  let came;
  const coming = events.next().then(({ value }) => (came = value));
  while (!came) await served.client("ann").begin();
  await coming;
  await events.return();
  assert.ok(came.sequence > last);
});

test("it gives up when it is told to", async (t) => {
  const served = await Served.begin(t);
  await served.client("ann").begin();
  const events = served.client("udo").events({ from: 1, giveUpAfter: 0 });
  await events.next();
  await served.kill();
  await assert.rejects(async () => {
    for await (const _ of events);
  }, Unreachable);
});

test("what is refused is not tried again", async (t) => {
  const served = await Served.begin(t);
  await assert.rejects(served.client("carl").events({ from: 1 }).next(), (error) => {
    assert.ok(error instanceof SwampBoxError);
    assert.equal(error.code, "forbidden");
    return true;
  });
});
