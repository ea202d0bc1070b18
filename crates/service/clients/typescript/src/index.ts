/** Proposes consequences to a SwampBox service, and waits for their release. */

export { Api } from "./api.js";
export { Client } from "./client.js";
export { SwampBoxError, Unreachable } from "./errors.js";
export { Consequence, Execution, Release } from "./execution.js";
export { Float, type Json, read, write } from "./json.js";
export type { Asked, Asking, Document, Options } from "./link.js";
