import type { Certainty } from '@fairlead/base';
import { JOURNAL_PAGE_DEFAULT, JOURNAL_PAGE_MAX, type JournalQuery } from '@fairlead/dispatch';

/** What the parameters of `GET /api/admin/journal` ask for, or which one is wrong; values are not repeated. */
export type JournalQueryReading =
  | { readonly ok: true; readonly query: JournalQuery }
  | { readonly ok: false; readonly member: string; readonly problem: string };

const CERTAINTIES: readonly unknown[] = ['not_started', 'completed', 'outcome_unknown'];
const KNOWN: ReadonlySet<string> = new Set(['limit', 'before', 'certainty']);

/** Reads them as they came: each a text, or a list where it was given twice. */
export function readJournalQuery(given: Readonly<Record<string, unknown>>): JournalQueryReading {
  const unknown = Object.keys(given).some((name) => !KNOWN.has(name));
  if (unknown) return fault('query', 'has a parameter that is not limit, before or certainty');
  const { limit = String(JOURNAL_PAGE_DEFAULT), before, certainty } = given;
  if (typeof limit !== 'string' || !/^[1-9]\d{0,2}$/.test(limit) || Number(limit) > JOURNAL_PAGE_MAX)
    return fault('limit', `must be a whole number from 1 to ${JOURNAL_PAGE_MAX}`);
  if (before !== undefined && (typeof before !== 'string' || !/^call_[\w-]{22}$/.test(before)))
    return fault('before', 'must be the id of a call');
  if (certainty !== undefined && !isCertainty(certainty))
    return fault('certainty', 'must be not_started, completed or outcome_unknown');
  return { ok: true, query: { limit: Number(limit), before, certainty } };
}

function isCertainty(value: unknown): value is Certainty {
  return CERTAINTIES.includes(value);
}

function fault(member: string, problem: string): JournalQueryReading {
  return { ok: false, member, problem };
}
