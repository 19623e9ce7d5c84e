import { FairleadError } from '@fairlead/base';
import { gatewayErrors } from '../errors.ts';
import { sessionRouteLimits as limits } from '../limits.ts';

type Given = Readonly<Record<string, unknown>>;

/** `GET /api/sessions`. */
export type SessionQuery = { readonly name?: string; readonly closed: boolean; readonly limit: number };

export function readSessionQuery(given: Given): SessionQuery {
  const { name, closed = 'false', limit } = known(given, ['name', 'closed', 'limit']);
  if (closed !== 'true' && closed !== 'false') throw wrong('closed', 'must be true or false');
  if (name !== undefined && (name === '' || Buffer.byteLength(name) > limits.nameBytes))
    throw wrong('name', `must be a text of 1 to ${limits.nameBytes} bytes`);
  return {
    ...(name === undefined ? {} : { name }),
    closed: closed === 'true',
    limit: wholeNumber('limit', limit, limits.sessions),
  };
}

/** `GET /api/sessions/:id/entries`. */
export type EntryQuery = { readonly before?: string; readonly limit: number };

export function readEntryQuery(given: Given): EntryQuery {
  const { before, limit } = known(given, ['before', 'limit']);
  // Of an author, its commit and the operation in that: docs/reference/sessions.md.
  if (before !== undefined && !/^[\w-]{43}:\d{1,16}:\d{1,4}$/.test(before))
    throw wrong('before', 'must be the id of an entry');
  return {
    ...(before === undefined ? {} : { before }),
    limit: wholeNumber('limit', limit, { fallback: limits.entries, max: limits.entries }),
  };
}

/** `GET /api/sessions/:id/stream`: `Last-Event-ID` is of a later moment than the address, which a browser keeps. */
export function readAfter(given: Given, lastEventId: string | string[] | undefined): number | undefined {
  const { after } = known(given, ['after']);
  const text = lastEventId ?? after;
  if (text === undefined || text === '') return undefined;
  if (typeof text !== 'string' || !/^\d{1,15}$/.test(text))
    throw wrong(lastEventId === undefined ? 'after' : 'Last-Event-ID', 'must be the id of an event');
  return Number(text);
}

/** `GET /api/schedules`. */
export function readScheduleQuery(given: Given): { readonly agent?: string } {
  const { agent } = known(given, ['agent']);
  return agent === undefined ? {} : { agent };
}

/** `GET /api/approvals`. */
export type ApprovalQuery = { readonly session?: string; readonly after?: string };

export function readApprovalQuery(given: Given): ApprovalQuery {
  const { session, after } = known(given, ['session', 'after']);
  if (after !== undefined && !/^apr_[\w-]{1,64}$/.test(after))
    throw wrong('after', 'must be the id of an approval');
  return { ...(session === undefined ? {} : { session }), ...(after === undefined ? {} : { after }) };
}

function known<Name extends string>(
  given: Given,
  names: readonly Name[],
): { readonly [Key in Name]?: string } {
  for (const [name, value] of Object.entries(given)) {
    const found = names.find((one) => one === name);
    if (found === undefined) throw wrong('query', `has a parameter other than ${names.join(', ')}`);
    if (typeof value !== 'string') throw wrong(found, 'is given twice');
  }
  return given as { readonly [Key in Name]?: string };
}

function wholeNumber(
  member: string,
  text: string | undefined,
  { fallback, max }: { readonly fallback: number; readonly max: number },
): number {
  if (text === undefined) return fallback;
  if (!/^[1-9]\d{0,3}$/.test(text) || Number(text) > max)
    throw wrong(member, `must be a whole number from 1 to ${max}`);
  return Number(text);
}

function wrong(member: string, problem: string): FairleadError {
  return new FairleadError('query_invalid', gatewayErrors.query_invalid.message, {
    detail: { member, problem },
  });
}
