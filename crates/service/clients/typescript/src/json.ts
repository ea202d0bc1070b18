/** JSON in which every value reads back equal. */

/** A value of JSON. An integer that a number can't hold is a bigint, and a float that looks like an integer a Float. */
export type Json =
  | null
  | boolean
  | number
  | bigint
  | Float
  | string
  | readonly Json[]
  | { readonly [key: string]: Json };

/** A float, also where its value is that of an integer: 1.0 is not 1. */
export class Float {
  constructor(readonly value: number) {}
}

/** Deeper containers are refused, as the service does. */
const MAX_DEPTH = 128;

/** The value as JSON. What would become something else is refused. */
export function write(value: Json): string {
  return written(value, "$", 0);
}

function written(value: Json, path: string, depth: number): string {
  if (value === null) return "null";
  switch (typeof value) {
    case "boolean":
    case "bigint":
      return String(value);
    case "string":
      return quoted(value, path);
    case "number":
      return number(value, path);
    case "object":
      break;
    default:
      throw new TypeError(`${path}: ${typeof value} is none of the types of JSON`);
  }
  if (value instanceof Float) return float(value.value, path);
  if (depth >= MAX_DEPTH) throw new RangeError(`${path}: it is nested deeper than ${MAX_DEPTH}`);
  if (Array.isArray(value)) {
    // Not map, which would leave holes.
    const items = Array.from(value, (inner, index) => written(inner, `${path}[${index}]`, depth + 1));
    return `[${items.join(",")}]`;
  }
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) {
    throw new TypeError(`${path}: an object of a class is none of the types of JSON`);
  }
  const entries = Object.entries(value).map(
    ([key, inner]) => `${quoted(key, path)}:${written(inner, `${path}.${key}`, depth + 1)}`,
  );
  return `{${entries.join(",")}}`;
}

function quoted(text: string, path: string): string {
  const lone = loneSurrogate(text);
  if (lone) throw new RangeError(`${path}: ${lone}`);
  return JSON.stringify(text);
}

/** What is wrong with a string that is no text, since half of a pair stands in it alone. */
function loneSurrogate(text: string): string | undefined {
  const at = text.search(/\p{Surrogate}/u);
  if (at < 0) return undefined;
  const code = text.charCodeAt(at).toString(16).toUpperCase();
  return `character ${at} is U+${code}, half of a surrogate pair, and no text`;
}

function number(value: number, path: string): string {
  if (!Number.isInteger(value)) return float(value, path);
  if (!Number.isSafeInteger(value)) {
    throw new RangeError(`${path}: ${value} may have lost digits; take a bigint, or a Float`);
  }
  return String(value);
}

function float(value: number, path: string): string {
  if (!Number.isFinite(value)) throw new RangeError(`${path}: ${value} is no number of JSON`);
  if (Object.is(value, -0)) return "-0.0";
  const text = String(value);
  return /[.e]/.test(text) ? text : `${text}.0`;
}

/** The text of these bytes. Nothing is put in the place of what is no UTF-8. */
export function decoded(bytes: ArrayBuffer): string {
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
}

/** What JSON says. What can't be kept as it is is refused. */
export function read(text: string): Json {
  const reader = new Reader(text);
  const value = reader.value(0);
  reader.end();
  return value;
}

class Reader {
  private at = 0;

  constructor(private readonly text: string) {}

  value(depth: number): Json {
    const next = this.peek();
    if ((next === "{" || next === "[") && depth >= MAX_DEPTH) {
      throw this.failure(`it is nested deeper than ${MAX_DEPTH}`);
    }
    if (next === "{") return this.object(depth);
    if (next === "[") return this.list(depth);
    if (next === '"') return this.string();
    const word = this.take(/true|false|null/y);
    if (word) return word === "null" ? null : word === "true";
    return this.number();
  }

  end(): void {
    if (this.peek() !== undefined) throw this.failure("something follows");
  }

  private object(depth: number): Json {
    const found: Record<string, Json> = {};
    this.items("{", "}", () => {
      if (this.peek() !== '"') throw this.failure("a key was expected");
      const key = this.string();
      this.expect(":");
      if (Object.hasOwn(found, key)) throw this.failure("a key is there twice");
      // An assignment to `__proto__` would make no entry.
      const value = this.value(depth + 1);
      Object.defineProperty(found, key, { value, enumerable: true, writable: true, configurable: true });
    });
    return found;
  }

  private list(depth: number): Json {
    const found: Json[] = [];
    this.items("[", "]", () => found.push(this.value(depth + 1)));
    return found;
  }

  private items(open: string, close: string, item: () => void): void {
    this.expect(open);
    if (this.peek() !== close) {
      do item();
      while (this.accept(","));
    }
    this.expect(close);
  }

  private string(): string {
    const begun = this.at;
    for (this.at += 1; this.text[this.at] !== '"'; this.at += 1) {
      if (this.text[this.at] === undefined) throw this.failure("a string does not end");
      if (this.text[this.at] === "\\") this.at += 1;
    }
    this.at += 1;
    const string = JSON.parse(this.text.slice(begun, this.at)) as string;
    const lone = loneSurrogate(string);
    if (lone) throw this.failure(`in a string, ${lone}`);
    return string;
  }

  private number(): Json {
    const text = this.take(/-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y);
    if (!text) throw this.failure("a value was expected");
    const value = Number(text);
    if (/^-?[0-9]+$/.test(text)) {
      if (!Number.isSafeInteger(value)) return BigInt(text);
      return value === 0 ? 0 : value;
    }
    if (!Number.isFinite(value)) throw this.failure("a number is too large");
    return Number.isInteger(value) ? new Float(value) : value;
  }

  private take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0];
    this.at += found?.length ?? 0;
    return found;
  }

  private peek(): string | undefined {
    this.take(/[ \t\n\r]*/y);
    return this.text[this.at];
  }

  private accept(wanted: string): boolean {
    if (this.peek() !== wanted) return false;
    this.at += 1;
    return true;
  }

  private expect(wanted: string): void {
    if (!this.accept(wanted)) throw this.failure(`${wanted} was expected`);
  }

  private failure(why: string): SyntaxError {
    return new SyntaxError(`this is no JSON: at ${this.at}, ${why}`);
  }
}
