/** The operations of the service, each as a method. */

import { type Json, read } from "./json.js";
import type { Asked, Asking, Document } from "./link.js";
import { once } from "./stream.js";

/** What makes a page of a list. */
interface Page {
  readonly after?: string | undefined;
  readonly limit?: number | undefined;
}

/** What the service can be asked for, with one credential. All names are those of /openapi.json. */
export class Api {
  constructor(protected readonly link: Asking) {}

  /** Makes an execution. Its token is in the answer, this once. */
  createExecution(fields: { execution_id?: string | undefined } = {}): Promise<Document> {
    return this.post("/v1/executions", { body: given(fields) });
  }

  /** Executions, in the order of their ids. */
  listExecutions(query: Page & { state?: "ACTIVE" | "ENDED" | undefined } = {}): Promise<Document> {
    return this.get("/v1/executions", query);
  }

  /** Ends an execution. What it holds is quarantined. */
  endExecution(execution: string): Promise<Document> {
    return this.post(`/v1/executions/${place(execution)}/end`);
  }

  /** Submits a consequence into the custody of the execution. With an idempotency key it is sent again if the
   * connection is lost, and submitted once. */
  submitConsequence(
    fields: {
      consequence_type: string;
      target: string;
      payload: Json;
      consequence_id?: string | undefined;
      parent_consequence_id?: string | undefined;
    },
    idempotencyKey?: string,
  ): Promise<Document> {
    const body = given(fields);
    if (idempotencyKey === undefined) return this.post("/v1/consequences", { body });
    const headers = { "idempotency-key": idempotencyKey };
    return this.post("/v1/consequences", { body, headers, again: true });
  }

  /** Consequences, in the order of their ids; for an execution, those that it holds. */
  listConsequences(
    query: Page & {
      state?: "CONTAINED" | "RELEASED" | "UNCERTAIN" | undefined;
      custodian?: string | undefined;
      origin?: string | undefined;
      type?: string | undefined;
      target?: string | undefined;
      quarantined?: boolean | undefined;
      parent?: string | undefined;
    } = {},
  ): Promise<Document> {
    return this.get("/v1/consequences", query);
  }

  /** A consequence that the execution holds. */
  readConsequence(consequence: string): Promise<Document> {
    return this.get(`/v1/consequences/${place(consequence)}`);
  }

  /** Whether a consequence is held, released or uncertain. */
  stateOfConsequence(consequence: string): Promise<Document> {
    return this.get(`/v1/consequences/${place(consequence)}/state`);
  }

  /** All that is known of a consequence. */
  storyOfConsequence(consequence: string): Promise<Document> {
    return this.get(`/v1/consequences/${place(consequence)}/story`);
  }

  /** Hands a consequence to another execution. */
  transferConsequence(
    consequence: string,
    fields: { target_execution_id: string },
  ): Promise<Document> {
    return this.post(`/v1/consequences/${place(consequence)}/transfer`, { body: given(fields) });
  }

  /** A consequence in quarantine. */
  inspectConsequence(consequence: string): Promise<Document> {
    return this.get(`/v1/quarantine/${place(consequence)}`);
  }

  /** Takes a consequence out of quarantine: an execution for itself, an operator for the one named. */
  adoptConsequence(
    consequence: string,
    fields: { execution_id?: string | undefined } = {},
  ): Promise<Document> {
    return this.post(`/v1/consequences/${place(consequence)}/adopt`, { body: given(fields) });
  }

  /** Asks for its release once, and waits for a decision that is pending. */
  releaseConsequence(
    consequence: string,
    fields: { wait_seconds?: number | undefined } = {},
  ): Promise<Document> {
    const asked = { body: given(fields), wait: fields.wait_seconds };
    return this.post(`/v1/consequences/${place(consequence)}/release`, asked);
  }

  /** Looks for the effect of a consequence, where its actuator offers that. */
  observeConsequence(consequence: string): Promise<Document> {
    return this.post(`/v1/consequences/${place(consequence)}/observe`);
  }

  /** Attaches what was found out about an UNCERTAIN consequence, which it stays. */
  resolveConsequence(
    consequence: string,
    fields: { verdict: string; evidence: Json },
  ): Promise<Document> {
    return this.post(`/v1/consequences/${place(consequence)}/resolve`, { body: given(fields) });
  }

  /** Requests that wait for a decision, the oldest first. */
  listApprovals(
    query: { after?: number | bigint | undefined; limit?: number | undefined } = {},
  ): Promise<Document> {
    return this.get("/v1/approvals", query);
  }

  /** All that an approver has to see of a request. */
  showApproval(consequence: string): Promise<Document> {
    return this.get(`/v1/approvals/${place(consequence)}`);
  }

  /** Allows or denies what was shown, which the digest names. */
  decideApproval(
    consequence: string,
    fields: {
      digest: string;
      verdict: "ALLOW" | "DENY";
      reason: string;
      window_seconds: number;
    },
  ): Promise<Document> {
    return this.post(`/v1/approvals/${place(consequence)}/decision`, { body: given(fields) });
  }

  /** Takes a request back, or one's own vote to allow it. */
  withdrawApproval(consequence: string): Promise<Document> {
    return this.post(`/v1/approvals/${place(consequence)}/withdraw`);
  }

  /** Events, in their order. */
  listEvents(
    query: {
      from?: number | undefined;
      execution?: string | undefined;
      consequence?: string | undefined;
      limit?: number | undefined;
    } = {},
  ): Promise<Document> {
    return this.get("/v1/events", query);
  }

  /** Events as they come over one connection, until that is lost. `Client.events` goes on after it. */
  streamEvents(
    query: { from?: number | undefined } = {},
    lastEventId?: number,
  ): AsyncGenerator<Document, void, undefined> {
    return once(this.link, query, lastEventId);
  }

  /** The last event and the last checkpoints, at most 100 of them; each is an event, too. */
  showLedger(): Promise<Document> {
    return this.get("/v1/ledger");
  }

  /** Reads all of the ledger, and says where it differs from its history. */
  verifyLedger(): Promise<Document> {
    return this.post("/v1/ledger/verify", { wait: 600 });
  }

  /** Signs how long the history is, and its last hash. */
  checkpointLedger(): Promise<Document> {
    return this.post("/v1/ledger/checkpoint");
  }

  /** Counts and times for Prometheus. */
  metrics(): Promise<string> {
    return this.link.ask("GET", "/metrics", { again: true });
  }

  /** Whether the process answers. */
  health(): Promise<Document> {
    return this.get("/healthz");
  }

  /** Whether the ledger can be used. */
  async readiness(): Promise<Document> {
    return document(await this.link.ask("GET", "/readyz", { again: true, taken: 503 }));
  }

  /** The OpenAPI document. */
  openapi(): Promise<Document> {
    return this.get("/openapi.json");
  }

  private async get(path: string, query?: object): Promise<Document> {
    return document(await this.link.ask("GET", path, { query, again: true }));
  }

  private async post(path: string, asked: Asked = {}): Promise<Document> {
    return document(await this.link.ask("POST", path, asked));
  }
}

/** The object that a text holds. */
export function document(text: string): Document {
  const found = read(text);
  if (typeof found !== "object" || found === null || Array.isArray(found)) {
    throw new SyntaxError("the service answered with no object");
  }
  return found as Document;
}

/** The fields that were given. */
function given(fields: object): Json {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function place(id: string): string {
  if (id === "." || id === "..") {
    throw new RangeError(`a consequence or execution of the id ${id} can't be asked for by fetch`);
  }
  return encodeURIComponent(id);
}
