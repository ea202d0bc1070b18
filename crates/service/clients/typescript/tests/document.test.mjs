/** The client beside the OpenAPI document of the service. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { Api } from "../dist/index.js";
import { Served } from "./served.mjs";

/** What a method asks for. */
async function asked(name, given) {
  const found = [];
  const link = {
    ask: async (method, path, rest) => (found.push({ method, path, ...rest }), "{}"),
    open: async (path, rest) => (found.push({ method: "GET", path, ...rest }), new Response("", { status: 200 })),
  };
  const answer = new Api(link)[name](...given);
  if (name === "streamEvents") await answer.next();
  else await answer;
  return found[0];
}

test("each operation is a method with its path, its parameters and its fields", async (t) => {
  const served = await Served.begin(t);
  const document = await served.client("ann").openapi();
  const names = new Set();
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const name = operation.operationId;
      names.add(name);
      const parameters = operation.parameters ?? [];
      const within = (place) => parameters.filter((one) => one.in === place).map((one) => one.name);
      const schema = operation.requestBody?.content["application/json"].schema.$ref.split("/").pop();
      const fields = schema ? Object.keys(document.components.schemas[schema].properties) : [];
      const given = within("path").map((one) => `${one}/.`);
      const values = [...within("query"), ...fields].map((one) => [one, one]);
      if (values.length > 0) given.push(Object.fromEntries(values));
      if (within("header").length > 0) given.push("the header");
      const found = await asked(name, given);
      const place = (_, one) => encodeURIComponent(`${one}/.`);
      assert.equal(found.method, method.toUpperCase(), name);
      assert.equal(found.path, path.replace(/\{(.*?)\}/g, place), name);
      assert.deepEqual(Object.keys(found.query ?? {}), within("query"), name);
      assert.deepEqual(Object.keys(found.body ?? {}).sort(), fields.sort(), name);
      const headers = within("header").map((one) => one.toLowerCase());
      assert.deepEqual(Object.keys(found.headers ?? {}), headers, name);
    }
  }
  assert.ok(names.size > 20);
  const own = Object.getOwnPropertyNames(Api.prototype);
  const helpers = ["constructor", "get", "post"];
  assert.deepEqual(own.filter((name) => !helpers.includes(name)).sort(), [...names].sort());
});
