import { type ErrorTable, FairleadError, type Fault } from '@fairlead/base';
import type { InvocationError, Principal } from '@fairlead/dispatch';
import { dispatchErrors } from '@fairlead/dispatch/journal';
import { extensionErrors } from '@fairlead/extension/runtime';
import { hubErrors } from '@fairlead/hub';
import type { Speaker } from '../entries/entry.ts';
import { hostErrors } from '../errors.ts';

const TABLES: readonly ErrorTable[] = [dispatchErrors, hostErrors, hubErrors, extensionErrors];

/** A fault as a client is told it: its own words, and what to do next. */
export function errorOf({ code, message, detail }: Fault): InvocationError {
  const entry = TABLES.find((table) => Object.hasOwn(table, code))?.[code];
  return {
    code,
    message,
    ...(entry === undefined ? {} : { recovery: entry.next }),
    ...(detail === undefined ? {} : { detail }),
  };
}

/** A code of dispatch as a fault. */
export function dispatchFault(code: keyof typeof dispatchErrors, detail?: Fault['detail']): Fault {
  const { message } = dispatchErrors[code];
  return { code, message, ...(detail === undefined ? {} : { detail }) };
}

/** What was refused with a code of ours, as a client is told it. Anything else, such as a fault of the store, is thrown again. */
export function refusedError(thrown: unknown): InvocationError {
  if (!(thrown instanceof FairleadError) || !TABLES.some((table) => Object.hasOwn(table, thrown.code)))
    throw thrown;
  const { code, message, detail } = thrown;
  return errorOf({ code, message, ...(detail === undefined ? {} : { detail }) });
}

/** Who entries are from that a client has written: its token. */
export function speakerOf({ id }: Principal, name: string | undefined): Speaker {
  const token = id.startsWith('token:') ? id.slice('token:'.length) : id;
  return { kind: 'client', id: token, ...(name === undefined || name === '' ? {} : { name }) };
}
