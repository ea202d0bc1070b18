/** The way to the service. */

import { SwampBoxError, Unreachable } from "./errors.js";
import { type Json, decoded, read, write } from "./json.js";

/** A document of the service. */
export type Document = { readonly [key: string]: Json };

/** What is asked for. */
export interface Asked {
  readonly query?: object | undefined;
  /** What is sent; nothing if it is left out. */
  readonly body?: Json | undefined;
  readonly headers?: Record<string, string> | undefined;
  /** How many seconds it may take beside the usual ones. */
  readonly wait?: number | undefined;
  /** Whether it may be sent more than once, which it is if the connection is lost. */
  readonly again?: boolean | undefined;
  /** A status that is an answer like any other. */
  readonly taken?: number | undefined;
}

/** How it is gone. */
export interface Options {
  /** How many seconds a request may take. 30. */
  readonly timeout?: number;
  /** Send the key over http also to another machine, where others could read it. */
  readonly allowPlainHttp?: boolean;
}

/** What asks. */
export interface Asking {
  ask(method: string, path: string, asked?: Asked): Promise<string>;
  open(path: string, asked: Asked, signal: AbortSignal): Promise<Response>;
}

const TRIES = 4;

/** Asks a service in the name of whoever has the credential. No redirect is followed. */
export class Link implements Asking {
  private readonly base: string;
  private readonly timeout: number;

  constructor(
    url: string,
    private readonly credential: string,
    private readonly options: Options,
  ) {
    const form = `${JSON.stringify(url)} is no URL of a service, such as https://box.example.com`;
    const parts = URL.canParse(url) ? new URL(url) : undefined;
    if (!parts || !/^https?:$/.test(parts.protocol)) throw new TypeError(form);
    if (parts.search || parts.hash || parts.username || parts.password) throw new TypeError(form);
    const secret = parts.protocol === "https:" || isLoopback(parts.hostname);
    if (!secret && !options.allowPlainHttp) {
      throw new TypeError(
        `others could read the key on its way to ${JSON.stringify(url)}; take https, or say allowPlainHttp`,
      );
    }
    this.base = parts.origin + parts.pathname.replace(/\/+$/, "");
    this.timeout = options.timeout ?? 30;
  }

  /** The same way, for somebody else. */
  withCredential(credential: string): Link {
    return new Link(this.base, credential, this.options);
  }

  async ask(method: string, path: string, asked: Asked = {}): Promise<string> {
    const request = this.request(method, asked);
    const tries = asked.again ? TRIES : 1;
    for (let number = 1; ; number += 1) {
      try {
        return await this.once(path, asked, request);
      } catch (error) {
        if (number === tries || !(error instanceof Unreachable)) throw error;
        await pause(0.1 * 3 ** number);
      }
    }
  }

  async open(path: string, asked: Asked, signal: AbortSignal): Promise<Response> {
    const request = this.request("GET", asked);
    return this.reached(() => fetch(this.target(path, asked), { ...request, signal }));
  }

  private once(path: string, asked: Asked, request: RequestInit): Promise<string> {
    const signal = AbortSignal.timeout((this.timeout + (asked.wait ?? 0)) * 1000);
    return this.reached(async () => {
      const response = await fetch(this.target(path, asked), { ...request, signal });
      const text = decoded(await response.arrayBuffer());
      if (response.ok || response.status === asked.taken) return text;
      throw refusal(response, text);
    });
  }

  private request(method: string, asked: Asked): RequestInit {
    const headers = new Headers(asked.headers);
    headers.set("authorization", `Bearer ${this.credential}`);
    const request: RequestInit = { method, headers, redirect: "error", cache: "no-store" };
    if (asked.body !== undefined) {
      headers.set("content-type", "application/json");
      request.body = write(asked.body);
    }
    return request;
  }

  private target(path: string, asked: Asked): string {
    const given = Object.entries(asked.query ?? {}).filter(([, value]) => value !== undefined);
    const query = new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
    return `${this.base}${path}${given.length > 0 ? `?${query}` : ""}`;
  }

  /** Whatever stands in the way is of one kind. */
  private async reached<T>(asking: () => Promise<T>): Promise<T> {
    try {
      return await asking();
    } catch (error) {
      if (error instanceof SwampBoxError) throw error;
      const cause = error instanceof Error && error.cause ? error.cause : error;
      throw new Unreachable(`${this.base}: ${cause}`);
    }
  }
}

/** What an answer says that is none of success. */
export function refusal(response: Response, text: string): SwampBoxError {
  let problem: Json = null;
  try {
    problem = read(text);
  } catch {
    // It comes from something else than a service.
  }
  if (typeof problem === "object" && problem !== null && "code" in problem) {
    const { code, detail, remedy } = problem as Document;
    return new SwampBoxError(`${code}`, `${detail ?? ""}`, `${remedy ?? ""}`, response.status);
  }
  return new Unreachable(`${response.status} ${response.statusText}, and no problem document`);
}

/** Waits so many seconds. */
export function pause(seconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, seconds * 1000));
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "[::1]" || /^127(\.[0-9]+){3}$/.test(host);
}
