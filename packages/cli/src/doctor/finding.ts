/** One line of what `fairlead doctor` found: something that is well, that may trouble somebody, or that keeps something from working. */
export type Finding = {
  readonly level: 'ok' | 'warn' | 'fail';
  /** Which check says so. */
  readonly check: string;
  /** What it saw, one sentence without its cure. */
  readonly what: string;
  /** A code of docs/reference/errors.md; null where all is well. */
  readonly code: string | null;
  /** The cure where the code's own next step does not say enough here. */
  readonly next: string | null;
};

/** All is well. */
export function well(check: string, what: string): Finding {
  return { level: 'ok', check, what, code: null, next: null };
}

/** Something is not. `next` only where it says more than the next step of the code. */
export function ill(
  level: 'warn' | 'fail',
  finding: { readonly check: string; readonly what: string; readonly code: string; readonly next?: string },
): Finding {
  return { level, check: finding.check, what: finding.what, code: finding.code, next: finding.next ?? null };
}
