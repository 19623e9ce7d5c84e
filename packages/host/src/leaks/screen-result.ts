import type { Fault, Json } from '@fairlead/base';
import { hostErrors } from '../errors.ts';
import type { LeakDetector, Redacted } from './leak-detector.ts';
import type { LeakCategory } from './leak-patterns.ts';

/** `[policy] leak`: leave out the secret, or keep back the whole result. */
export type LeakPolicy = 'redact' | 'block';

/** What a tool gave back, or why it failed. */
export interface ScreenedOutput {
  readonly text: string;
  readonly structured?: Json;
}

export type Screening =
  | {
      readonly kind: 'output';
      readonly output: ScreenedOutput;
      readonly categories: readonly LeakCategory[];
    }
  | { readonly kind: 'blocked'; readonly fault: Fault; readonly categories: readonly LeakCategory[] };

/**
 * Screens a result before anybody but the host sees it. Certainty is untouched: a result that is kept back is still the result of a call that
 * ran (`leak_blocked`, naming the kinds and nothing else).
 */
export function screenOutput(output: ScreenedOutput, policy: LeakPolicy, detector: LeakDetector): Screening {
  const text = detector.text(output.text);
  const structured = output.structured === undefined ? undefined : detector.json(output.structured);
  const categories = together(text, structured);
  if (policy === 'block' && categories.length > 0)
    return { kind: 'blocked', fault: blocked(categories), categories };
  return {
    kind: 'output',
    output: { text: text.value, ...(structured === undefined ? {} : { structured: structured.value }) },
    categories,
  };
}

/** Screens a fault: its message, and its detail. Whatever the policy is, its code stays. */
export function screenFault(
  fault: Fault,
  policy: LeakPolicy,
  detector: LeakDetector,
): { readonly fault: Fault; readonly categories: readonly LeakCategory[] } {
  const { code } = fault;
  const message = detector.text(fault.message);
  const detail = fault.detail === undefined ? undefined : detector.json(fault.detail);
  const categories = together(message, detail);
  if (policy === 'block' && categories.length > 0)
    return { fault: { ...blocked(categories), code }, categories };
  return {
    fault: {
      code,
      message: message.value,
      ...(detail === undefined ? {} : { detail: detail.value }),
    },
    categories,
  };
}

function blocked(categories: readonly LeakCategory[]): Fault {
  return { code: 'leak_blocked', message: hostErrors.leak_blocked.message, detail: { categories } };
}

function together(...found: readonly (Redacted<Json> | undefined)[]): readonly LeakCategory[] {
  return [...new Set(found.flatMap((one) => one?.categories ?? []))].sort();
}
