/** What goes to the service and comes from it is the same value. */

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";

import { Api, Client, Float, read, write } from "../dist/index.js";

test("every value reads back equal and of the same type", () => {
  const numbers = [2n ** 53n, -(2n ** 200n), 9007199254740991, 1, 0, 0.1, 5e-324, 1e-7];
  const floats = [1, -0, 1e22, 2 ** 60].map((value) => new Float(value));
  const values = [...numbers, ...floats, true, false, null, "\u202e\u0000\u{1f600}\"\\", [], {}];
  for (const value of [...values, values, { "": values, "\u2028": [[[]]] }]) {
    assert.deepEqual(read(write(value)), value);
  }
});

test("a float never becomes an integer, and an integer never a float", () => {
  assert.equal(write([new Float(1), 1, 1n, new Float(1e22), new Float(-0), -0]), "[1.0,1,1,1e+22,-0.0,0]");
  assert.deepEqual(read("[1.0, 1, 1e2, -0, -0.0]"), [new Float(1), 1, new Float(100), 0, new Float(-0)]);
});

test("an integer that a number may have lost digits of is refused", () => {
  assert.throws(() => write({ a: [2 ** 53] }), { name: "RangeError", message: /^\$\.a\[0\]: .*bigint/ });
  assert.deepEqual(read("9007199254740993"), 9007199254740993n);
});

test("what JSON can't hold is refused with its place", () => {
  const holes = new Array(1);
  const others = [undefined, () => 1, Symbol("a"), new Date(0), new Map(), holes, new Float(NaN)];
  for (const value of [...others, NaN, Infinity]) {
    assert.throws(() => write({ a: [value] }), { message: /^\$\.a\[0\]/ });
  }
});

test("what is no text is neither written nor read", () => {
  for (const value of ["\ud800", { "\udfff": 1 }, { a: ["b\udc00c"] }]) {
    assert.throws(() => write(value), { name: "RangeError", message: /^\$.*half of a surrogate pair/ });
  }
  for (const text of ['"\\ud800"', '{"\\udfff":1}', '["\\udc00\\ud800"]', '"\ud800"']) {
    assert.throws(() => read(text), { name: "SyntaxError", message: /half of a surrogate pair/ });
  }
  assert.equal(read('"\\ud83d\\ude00"'), "\u{1f600}");
});

test("what is answered in no UTF-8 is not repaired", async () => {
  const server = createServer((_, answer) => answer.end(Buffer.from('{"a":"\xff"}', "latin1")));
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const client = new Client(`http://127.0.0.1:${server.address().port}`, "k");
  await assert.rejects(client.checkpointLedger(), { name: "Unreachable", message: /utf-8/ });
  server.close();
});

test("what is nested deeper than the service takes is refused", () => {
  const deepest = "[".repeat(128) + "]".repeat(128);
  assert.equal(write(read(deepest)), deepest);
  assert.throws(() => read(`[${deepest}]`), { name: "SyntaxError", message: /nested deeper/ });
  const endless = [];
  endless.push(endless);
  for (const value of [endless, [read(deepest)]]) {
    assert.throws(() => write(value), { name: "RangeError", message: /^\$.*nested deeper/ });
  }
});

test("what is no JSON is not read", () => {
  const wrong = ["", "{", "[1,]", "{\"a\":1,}", "01", "1.", "+1", "NaN", "'a'", "[1] 2", "\"\t\"", "\"\\x\"", "1e400"];
  for (const text of [...wrong, '{"a":1,"a":2}', '"\\', "[".repeat(100_000)]) {
    assert.throws(() => read(text), SyntaxError, text);
  }
});

test("a key that means something elsewhere is a key", () => {
  const found = read('{"__proto__": {"a": 1}, "constructor": 2}');
  assert.deepEqual(Object.keys(found), ["__proto__", "constructor"]);
  assert.equal(Object.getPrototypeOf(found), Object.prototype);
  assert.equal(write(found), '{"__proto__":{"a":1},"constructor":2}');
});

test("a key goes over plain http to this machine alone", () => {
  const good = ["http://127.0.0.1:1", "http://localhost", "http://[::1]:1", "https://a.example"];
  for (const url of good) new Client(url, "k");
  new Client("http://a.example", "k", { allowPlainHttp: true });
  const plain = ["http://a.example", "http://localhost.a.example", "http://127.0.0.1.a.example"];
  const others = ["ftp://127.0.0.1", "127.0.0.1:1", "https://u@a.example", "https://a.example/?k=1"];
  for (const url of [...plain, ...others]) assert.throws(() => new Client(url, "k"), TypeError, url);
});

test("an id that fetch would change is refused", async () => {
  const api = new Api({ ask: async () => "{}" });
  for (const id of [".", ".."]) assert.throws(() => api.readConsequence(id), RangeError);
});
