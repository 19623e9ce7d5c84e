import type { Certainty, ErrorEntry, Json } from '@fairlead/base';
import { protocolErrors } from '@fairlead/protocol';
import { dispatchErrors } from '../errors.ts';
import type { PluginToolAction } from './action.ts';

/** What stands in `error` of an answer: our own words for a code, what to do next, and what the code adds. */
export type InvocationError = {
  readonly code: string;
  readonly message: string;
  readonly recovery?: string;
  readonly detail?: Json;
};

const UNKNOWN_CODE: ErrorEntry = Object.freeze({
  message: 'The Runner answered with a code that this gateway does not know.',
  next: 'Bring the gateway and the Runner to the same version of Fairlead.',
});

/** What an unknown outcome means for each action that has an effect. */
const MAY_HAVE_HAPPENED: Readonly<Partial<Record<PluginToolAction, string>>> = Object.freeze({
  call: 'The call may have run; it was not sent again. Look at what the tool changes before you call it again.',
  check:
    'The check may still be running; it was not sent again. List the plugins of the Runner, then decide.',
  reload:
    'The plugins may have been reloaded; nothing was sent again. List the plugins of the Runner to see what is in force.',
});

/** A code in our own words, whoever it came from. */
export function explain(
  code: string,
  about: { readonly certainty: Certainty; readonly action?: PluginToolAction; readonly detail?: Json },
): InvocationError {
  const { message, next } = entryOf(code);
  const unknown = about.certainty === 'outcome_unknown' && about.action !== undefined;
  const warning = unknown ? MAY_HAVE_HAPPENED[about.action] : undefined;
  return {
    code,
    message,
    recovery: warning === undefined ? next : `${warning} ${next}`,
    ...(about.detail === undefined ? {} : { detail: about.detail }),
  };
}

function entryOf(code: string): ErrorEntry {
  for (const table of [dispatchErrors, protocolErrors] as const) {
    const entry = Object.hasOwn(table, code) ? (table as Record<string, ErrorEntry>)[code] : undefined;
    if (entry !== undefined) return entry;
  }
  return UNKNOWN_CODE;
}
