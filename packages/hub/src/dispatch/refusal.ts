import { extensionErrors } from '@fairlead/extension/runtime';
import { hubErrors } from '../errors.ts';
import type { Gone } from '../install/installed.ts';
import type { LiveInstance } from '../instances/live-instance.ts';
import type { Absent } from '../live/live-snapshot.ts';

/** A code with words for people. */
export interface Refusal {
  readonly code: string;
  readonly message: string;
}

/** Why a call of an instance is not even begun; undefined where it may begin. `fault` is what else stands in its way. */
export function refusalOf(instance: LiveInstance, fault?: Gone): Refusal | undefined {
  const gone = instance.extension.gone ?? fault;
  if (gone !== undefined) return { code: gone.code, message: withReason(gone) };
  if (instance.gone === undefined) return undefined;
  return { code: 'extension_ended', message: withReason({ code: 'extension_ended', reason: instance.gone }) };
}

function withReason({ code, reason }: Gone): string {
  const tables: Readonly<Record<string, { readonly message: string } | undefined>> = {
    ...extensionErrors,
    ...hubErrors,
  };
  const message = tables[code]?.message;
  return message === undefined || message === reason ? reason : `${message} (${reason})`;
}

/** Whose something is that is not in a live set, why not, and what a person can do. */
export function absence({ manifest: { name }, why, reason }: Absent): string {
  switch (why) {
    case 'off':
      return `${name}, which is off in this session; /extensions add ${name} turns it on`;
    case 'opted_out':
      return `${name}, which is off for this agent; /extensions add ${name} agent turns it on`;
    default:
      return `${name}, which cannot run here now: ${reason}`;
  }
}

/** What the host's own part of a call threw: its code where it has one, and nothing of a foreign message. */
export function hostFault(
  code: 'call_not_decided' | 'call_not_settled',
  error: unknown,
): readonly [string, string] {
  const cause = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
  return [code, `${hubErrors[code].message}${cause}`];
}
