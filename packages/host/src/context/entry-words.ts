import type { Certainty } from '@fairlead/base';
import type { Entry, Speaker } from '../entries/entry.ts';
import { visibleName } from '../leaks/visible-text.ts';

type Said = Extract<Entry, { readonly type: 'message' | 'directive' }>;

/** A speaker as a model reads it: one line of 48 characters at most, whatever it calls itself. */
function nameOf({ id, name }: Speaker): string {
  return visibleName(name ?? id);
}

/**
 * What somebody else said, as a user's text. A person's words and a task stand as they are; those of another agent, a client or an extension
 * begin with the name. `agent`: whose context it is, for the task that it gave itself.
 */
export function saidText({ type, text, from }: Said, agent: string): string {
  const isPlain =
    from.kind === 'person' ||
    (type === 'directive' && (from.kind === 'schedule' || from.kind === 'host' || from.id === agent));
  return isPlain ? text : `${nameOf(from)}: ${text}`;
}

const ENDS: Readonly<Record<Certainty, string>> = {
  completed: 'completed',
  not_started: 'not started',
  outcome_unknown: 'outcome unknown',
};

/** Somebody else's call in one line. */
export function callLine(
  from: Speaker,
  tool: string,
  end: { readonly certainty: Certainty; readonly error: boolean },
): string {
  const failed = end.certainty === 'completed' && end.error ? ' with an error' : '';
  return `[${nameOf(from)} called ${visibleName(tool)}: ${ENDS[end.certainty]}${failed}]`;
}

/** What stands in the place of everything before it. */
export function summaryText(
  { text, from }: Extract<Entry, { readonly type: 'summary' }>,
  agent: string,
): string {
  const by = from.id === agent ? '' : `, by ${nameOf(from)}`;
  return `[Summary of what came before this point${by}]\n${text}`;
}
