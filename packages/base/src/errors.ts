import type { Json } from './json.ts';

/** What a person is told about a code: what happened, in words that carry no secret, and what to do next. */
export type ErrorEntry = { readonly message: string; readonly next: string };

/** A package's codes. One frozen table per package; `docs/reference/errors.md` has a row for each code. */
export type ErrorTable<Code extends string = string> = Readonly<Record<Code, ErrorEntry>>;

/** Freezes a package's table of codes. */
export function defineErrors<const Code extends string>(table: Record<Code, ErrorEntry>): ErrorTable<Code> {
  for (const entry of Object.values<ErrorEntry>(table)) Object.freeze(entry);
  return Object.freeze(table);
}

/**
 * An error with a stable code. `message` and `detail` are safe to show across a trust border; `cause` is not and never
 * leaves the process.
 */
export class FairleadError extends Error {
  readonly code: string;
  readonly detail: Json | undefined;

  constructor(
    code: string,
    message: string,
    options: { readonly detail?: Json; readonly cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'FairleadError';
    this.code = code;
    this.detail = options.detail;
  }
}
