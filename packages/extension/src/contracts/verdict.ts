import type { JsonObject } from '../json/json.ts';
import { isJsonObject } from '../json/json.ts';
import { plainJson } from '../json/plain-json.ts';
import { ARGUMENTS_BOUNDS, outputLimits } from '../limits.ts';

/** A gate's answer, read: go on, refuse with a reason, or go on with other arguments. */
export type ReadVerdict =
  | { readonly kind: 'pass' }
  | { readonly kind: 'block'; readonly reason: string }
  | { readonly kind: 'args'; readonly args: JsonObject }
  | { readonly kind: 'invalid'; readonly message: string };

const PASS: ReadVerdict = Object.freeze({ kind: 'pass' });

/**
 * Reads what a `toolCall` handler returned. Nothing (`undefined`, and `null` from a tier that has only JSON) goes on; an object
 * with the one member `block` (a reason of 1 to 500 characters) or `args` (an object of 64 KiB at most) says the rest; anything
 * else is no verdict.
 */
export function readVerdict(value: unknown): ReadVerdict {
  if (value === undefined || value === null) return PASS;
  const plain = plainJson(value, ARGUMENTS_BOUNDS);
  if (!plain.ok) return invalid(`${plain.path === '' ? 'it' : plain.path} ${plain.message}`);
  const verdict = plain.value;
  if (!isJsonObject(verdict)) return invalid('it is no object');
  const members = Object.keys(verdict);
  const { block, args } = verdict;
  if (members.length !== 1) return invalid('it must have one member, block or args');
  if (block !== undefined) {
    if (typeof block !== 'string' || block.trim() === '' || block.length > outputLimits.maxReason)
      return invalid(`block must be a reason of 1 to ${outputLimits.maxReason} characters`);
    return { kind: 'block', reason: block };
  }
  if (!isJsonObject(args)) return invalid('it must have one member, block or args');
  return { kind: 'args', args };
}

function invalid(message: string): ReadVerdict {
  return { kind: 'invalid', message };
}
