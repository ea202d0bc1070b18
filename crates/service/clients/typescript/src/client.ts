/** Where everything begins. */

import { Api } from "./api.js";
import { SwampBoxError } from "./errors.js";
import { Execution } from "./execution.js";
import { type Document, Link, type Options } from "./link.js";
import { resumed } from "./stream.js";

/** A service, in the name of the principal who has the API key. */
export class Client extends Api {
  private readonly way: Link;

  constructor(url: string, key: string, options: Options = {}) {
    const way = new Link(url, key, options);
    super(way);
    this.way = way;
  }

  /** Does something with a new execution, which ends when that is done. */
  async execution<T>(work: (execution: Execution) => Promise<T>, id?: string): Promise<T> {
    const execution = await this.begin(id);
    let done: T;
    try {
      done = await work(execution);
    } catch (error) {
      await execution.end().catch((late: unknown) => {
        // What went wrong first is what matters.
        if (!(late instanceof SwampBoxError)) throw late;
      });
      throw error;
    }
    await execution.end();
    return done;
  }

  /** A new execution. Whoever begins it ends it. */
  async begin(id?: string): Promise<Execution> {
    const made = await this.createExecution({ execution_id: id });
    return this.resume(String(made["execution_id"]), String(made["token"]));
  }

  /** An execution that is there already. */
  resume(id: string, token: string): Execution {
    return new Execution(new Api(this.way.withCredential(token)), id, token);
  }

  /** Each event from one on, once and in order; without it, from the next that comes.
   *
   * A connection that is lost is made again, and it goes on where it stopped; for ever, or until there was no
   * connection for `giveUpAfter` seconds. */
  async *events({
    from,
    giveUpAfter,
  }: { from?: number; giveUpAfter?: number } = {}): AsyncGenerator<Document, void, undefined> {
    if (from === undefined) {
      const last = (await this.showLedger())["last_event"] as Document | null;
      from = last ? Number(last["sequence"]) + 1 : 1;
    }
    yield* resumed(this.link, from, giveUpAfter);
  }
}
