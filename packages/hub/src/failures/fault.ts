import { singleLine } from '@fairlead/base';
import { hubLimits } from '../limits.ts';

/** What went wrong, as a code and words that are safe to show. */
export interface Fault {
  readonly code: string;
  readonly reason: string;
}

const CODE = /^[a-z][a-z0-9_]{1,79}$/;

/** What was thrown, whatever it is. Without a code of its own it has `code`; a foreign text is cut to one line. */
export function faultOf(thrown: unknown, code: string): Fault {
  try {
    if (!(thrown instanceof Error)) return { code, reason: cutReason(String(thrown)) };
    const own: unknown = Reflect.get(thrown, 'code');
    const known = typeof own === 'string' && CODE.test(own);
    return { code: known ? own : code, reason: cutReason(String(thrown.message)) };
  } catch {
    return { code, reason: 'something without a text was thrown' };
  }
}

/** One line of 500 characters at most. */
export function cutReason(text: string): string {
  const line = singleLine(text).trim();
  if (line === '') return 'no reason given';
  if (line.length <= hubLimits.maxReason) return line;
  return `${line
    .slice(0, hubLimits.maxReason - 1)
    .toWellFormed()
    .replace(/\uFFFD$/, '')}…`;
}
