import { canonicalJson, encodeJson, type Json, type JsonObject, sha256Base64url } from '@fairlead/base';
import { argumentsDigest } from '@fairlead/dispatch/journal';
import type { LiveTool } from '@fairlead/hub';
import type { EntryTier } from '../entries/entry.ts';
import { maskSensitive } from '../leaks/mask-sensitive.ts';
import { displayLimits, entryLimits } from '../limits.ts';
import type { ToolPolicy } from '../policy/tool-policy.ts';
import type { CallRequest } from './call-end.ts';
import type { CallFloor } from './call-floor.ts';

/** What entries, approvals and the journal say of a call. */
export interface CallWords {
  readonly tool: string;
  readonly extension: string;
  readonly tier: EntryTier;
  /** Whose tool it is, and as what it was described: what an approval binds beside the digest. */
  readonly target: string;
  /** Sensitive ones masked, secrets left out. */
  readonly arguments: JsonObject;
  /** Over the real ones. */
  readonly digest: string;
}

type Floor = Pick<CallFloor, 'leaks' | 'digestKey' | 'standsFor'>;

/** Stands where no extension has the tool: no extension can be called so. */
export const NOBODY = '-';

/** A call of a tool with arguments that fit it. */
export function wordsOf(floor: Floor, tool: LiveTool, policy: ToolPolicy, args: JsonObject): CallWords {
  const other = floor.standsFor?.(tool, args);
  const masked = maskSensitive(other?.arguments ?? args, policy.sensitive);
  const shown = floor.leaks.json(masked).value;
  if (other !== undefined) {
    const { tier, target, digested } = other;
    const words = { ...toolWords(tool), tier, target: wordOf(target) };
    return { ...words, arguments: shown, digest: digestOf(floor, target, digested) };
  }
  return { ...toolWords(tool), arguments: shown, digest: digestOf(floor, targetOf(tool), args) };
}

/**
 * A call that was refused before its arguments were known to fit. They are left out where nobody can say what in them is sensitive: of a tool that
 * is not here, or of one that has sensitive arguments, of which one may be misspelled; and where they are larger than may be shown.
 */
export function refusedWords(
  floor: Floor,
  request: CallRequest,
  known: { readonly tool: LiveTool; readonly policy: ToolPolicy } | { readonly owner: string | undefined },
): CallWords {
  const given: Json = 'arguments' in request ? request.arguments : request.unparsable;
  const isShown =
    'tool' in known &&
    'arguments' in request &&
    known.policy.sensitive.length === 0 &&
    !isTooLarge(request.arguments);
  const shown = isShown ? floor.leaks.json(request.arguments).value : { $left_out: bytesOf(given) };
  const words = 'tool' in known ? toolWords(known.tool) : strangeWords(floor, request.tool, known.owner);
  return { ...words, arguments: shown, digest: digestOf(floor, words.target, given) };
}

/** More than a person could be shown whole. */
export function isTooLarge(args: JsonObject): boolean {
  return bytesOf(args) > displayLimits.argumentBytes;
}

function toolWords(tool: LiveTool): Omit<CallWords, 'arguments' | 'digest'> {
  return { tool: tool.name, extension: tool.owner, tier: tool.tier, target: targetOf(tool) };
}

function strangeWords(
  { leaks }: Floor,
  name: string,
  owner: string = NOBODY,
): Omit<CallWords, 'arguments' | 'digest'> {
  const tool = wordOf(leaks.text(name).value);
  return { tool, extension: owner, tier: 'in_process', target: wordOf(`ext:${owner}/${tool}`) };
}

/** What an entry can hold of a name that may be anything. */
function wordOf(name: string): string {
  const word = Buffer.from(name.toWellFormed())
    .subarray(0, entryLimits.wordBytes - 4)
    .toString();
  return word === '' ? NOBODY : word;
}

/** The description is part of it: a tool that became another one since is not what was approved. */
function targetOf({ owner, name, contribution }: LiveTool): string {
  if (contribution.foreign !== undefined) return wordOf(contribution.foreign.target);
  // A revision counts within one instance: it says nothing of what the tool is.
  const { revision: _revision, ...described } = contribution;
  return `ext:${owner}/${name}#${sha256Base64url(canonicalJson(described as unknown as Json))}`;
}

function digestOf({ digestKey }: Floor, target: string, args: Json): string {
  return argumentsDigest(digestKey, target, canonicalJson(args));
}

function bytesOf(value: Json): number {
  return Buffer.byteLength(typeof value === 'string' ? value : encodeJson(value));
}
