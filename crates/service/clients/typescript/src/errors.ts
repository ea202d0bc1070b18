/** Why something was not done. */

/** The service refused. `code` is stable: docs/codes.md lists what each means. */
export class SwampBoxError extends Error {
  override name = "SwampBoxError";

  constructor(
    readonly code: string,
    readonly detail: string,
    readonly remedy = "",
    readonly status: number | undefined = undefined,
  ) {
    super(`${code}: ${detail}`);
  }
}

/** There was no answer, or none of a service. Whether the request arrived is not known. */
export class Unreachable extends SwampBoxError {
  override name = "Unreachable";

  constructor(detail: string) {
    super("service_unreachable", detail, "Start the service, or mend the way to it.");
  }
}

/** Whether it may be otherwise in a moment. */
export function passes(error: unknown): error is SwampBoxError {
  return (
    error instanceof SwampBoxError &&
    (error instanceof Unreachable || error.status === 429 || error.status === 503)
  );
}
