import { FairleadError } from '@fairlead/base';

const UNWRITABLE: ReadonlySet<string> = new Set([
  ...['session_unknown', 'database_not_found', 'database_newer', 'access_denied'],
]);

/** Undefined for a session that is gone, or somebody else's by now; anything else is thrown again. */
export function unwritable(error: unknown): undefined {
  if (error instanceof FairleadError && UNWRITABLE.has(error.code)) return undefined;
  throw error;
}
