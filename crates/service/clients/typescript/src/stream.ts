/** Events as they come. */

import { document } from "./api.js";
import { Unreachable, passes } from "./errors.js";
import { decoded } from "./json.js";
import { type Asking, type Document, pause, refusal } from "./link.js";

/** So many seconds without even a heartbeat mean that the connection is lost. The service sends one every 15. */
const SILENCE = 45;

/** Events over one connection. It ends with `Unreachable`, or when the service stops. */
export async function* once(
  link: Asking,
  query: { from?: number | undefined },
  last?: number,
): AsyncGenerator<Document, void, undefined> {
  const connection = new AbortController();
  let silence = setTimeout(() => connection.abort(), SILENCE * 1000);
  const headers: Record<string, string> = last === undefined ? {} : { "last-event-id": `${last}` };
  try {
    const response = await link.open("/v1/events/stream", { query, headers }, connection.signal);
    if (response.status !== 200) throw refusal(response, decoded(await response.arrayBuffer()));
    const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    const reader = response.body?.getReader();
    let text = "";
    for (;;) {
      const part = await reader?.read().catch((error: unknown) => {
        throw new Unreachable(`the stream broke off: ${error}`);
      });
      if (!part || part.done) return;
      clearTimeout(silence);
      silence = setTimeout(() => connection.abort(), SILENCE * 1000);
      text += decoder.decode(part.value, { stream: true });
      // What follows the last empty line is not whole yet.
      const frames = text.split("\n\n");
      text = frames.pop() ?? "";
      for (const frame of frames) {
        const data = frame.split("\n").find((line) => line.startsWith("data: "));
        if (data) yield document(data.slice("data: ".length));
      }
    }
  } finally {
    clearTimeout(silence);
    connection.abort();
  }
}

/** Each event from `first` on, once and in order, over as many connections as it takes. */
export async function* resumed(
  link: Asking,
  first: number,
  giveUpAfter: number | undefined,
): AsyncGenerator<Document, void, undefined> {
  let next = first;
  let lostAt: number | undefined;
  let wait = 0.1;
  for (;;) {
    try {
      for await (const event of once(link, { from: next })) {
        if (event["sequence"] !== next) {
          throw new Error(`event ${event["sequence"]} came in the place of ${next}`);
        }
        next += 1;
        [lostAt, wait] = [undefined, 0.1];
        yield event;
      }
    } catch (error) {
      // What the service refuses for good it refuses again.
      if (!passes(error)) throw error;
      const now = Date.now();
      lostAt ??= now;
      if (giveUpAfter !== undefined && now - lostAt >= giveUpAfter * 1000) throw error;
    }
    await pause(wait);
    wait = Math.min(wait * 2, 5);
  }
}
