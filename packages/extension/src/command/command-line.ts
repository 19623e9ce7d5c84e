import type { Json, JsonObject } from '../json/json.ts';
import { setMember } from '../json/json.ts';
import { COMMAND_LINE_MAX } from '../limits.ts';
import type { CompiledSchema } from '../schema/compile-schema.ts';
import { faultText } from '../schema/schema-fault.ts';
import type { SchemaNode } from '../schema/schema-node.ts';
import { splitWords, type Word } from './split-words.ts';

/** Parsed arguments, or what is wrong with the line and how it is used. */
export type CommandLine =
  | { readonly ok: true; readonly args: JsonObject }
  | {
      readonly ok: false;
      readonly code: 'command_usage';
      readonly message: string;
      readonly usage: string;
    };

/** A command as the parser needs it. */
export interface CommandForm {
  readonly name: string;
  readonly args: CompiledSchema;
}

/** The name that a line begins with, with or without a slash, and what stands behind it. */
export function commandName(line: string): { readonly name: string; readonly rest: string } {
  const [, name = '', rest = ''] = /^\s*\/?(\S*)\s*([\s\S]*)$/.exec(line) ?? [];
  return { name, rest };
}

/**
 * Parses what stands behind a command's name. Words fill the arguments in the order of the schema; the last argument, where it is
 * a string, takes all words that are left, and where it is a list, each of them. `--key value`, `--key=value`, `--flag` and
 * `--no-flag` may stand anywhere; `--` ends them.
 */
export function parseCommandLine({ name, args }: CommandForm, rest: string): CommandLine {
  const refuse = (message: string): CommandLine => ({
    ok: false,
    code: 'command_usage',
    message,
    usage: usageOf({ name, args }),
  });
  if (rest.length > COMMAND_LINE_MAX) return refuse(`a line has ${COMMAND_LINE_MAX} characters at most`);
  const split = splitWords(rest);
  if (!split.ok) return refuse(split.message);
  const members = args.node.type === 'object' ? args.node.properties : new Map<string, SchemaNode>();
  const given = new Map<string, string[]>();
  const placed = placeOptions(split.words, members, given);
  if (typeof placed === 'string') return refuse(placed);
  const left = placeWords(placed, members, given);
  if (left !== null) return refuse(left);
  const values: { [key: string]: Json } = {};
  for (const [key, texts] of given) {
    const node = members.get(key);
    if (node === undefined) continue;
    const value = jsonOfWords(node, texts);
    if (value === undefined) return refuse(`${key} must be ${NOUNS[node.type]}`);
    setMember(values, key, value);
  }
  const parsed = args.parse(values);
  if (!parsed.ok) return refuse(faultText({ ...parsed.fault, path: parsed.fault.path.replace(/^\//, '') }));
  return { ok: true, args: parsed.value as JsonObject };
}

/** One line that shows how a command is typed: `<needed>`, `[optional]`, `[with=default]`, `<many…>`. */
export function usageOf({ name, args }: CommandForm): string {
  const { node } = args;
  if (node.type !== 'object') return `/${name}`;
  const last = [...node.properties.keys()].at(-1);
  const words = [...node.properties].map(([key, member]) => {
    const many = member.type === 'array' || (key === last && takesRest(member)) ? '…' : '';
    const fallback = member.fallback === undefined ? '' : `=${JSON.stringify(member.fallback.value)}`;
    const shown = member.type === 'boolean' ? `--${key}` : `${key}${fallback}${many}`;
    return node.required.has(key) && member.type !== 'boolean' ? `<${shown}>` : `[${shown}]`;
  });
  return ['/', name, ...words.map((word) => ` ${word}`)].join('');
}

const NOUNS: Readonly<Record<SchemaNode['type'], string>> = Object.freeze({
  string: 'text',
  integer: 'an integer',
  number: 'a number',
  boolean: 'yes or no',
  null: 'null',
  array: 'a list of such values',
  object: 'a JSON object',
});

/** Takes the options out of the words; a text says what is wrong with one. */
function placeOptions(
  words: readonly Word[],
  members: ReadonlyMap<string, SchemaNode>,
  given: Map<string, string[]>,
): string[] | string {
  const plain: string[] = [];
  for (let index = 0; index < words.length; index += 1) {
    const { text, quoted } = words[index] as Word;
    if (quoted || !text.startsWith('--')) {
      plain.push(text);
      continue;
    }
    if (text === '--') return [...plain, ...words.slice(index + 1).map((word) => word.text)];
    const [, written = '', inline] = /^--([^=]+)(?:=([\s\S]*))?$/.exec(text) ?? [];
    const option = optionNamed(written, members);
    if (option === undefined) return `there is no option --${written}`;
    const { key, node, negated } = option;
    if (node.type === 'boolean') {
      const next = words[index + 1]?.text.toLowerCase();
      const takes =
        inline === undefined && !negated && next !== undefined && (next === 'true' || next === 'false');
      if (takes) index += 1;
      add(given, key, negated ? 'false' : (inline ?? (takes ? (next as string) : 'true')));
      continue;
    }
    if (inline === undefined) index += 1;
    const value = inline ?? words[index]?.text;
    if (value === undefined) return `--${written} takes a value`;
    add(given, key, value);
  }
  return plain;
}

function optionNamed(
  written: string,
  members: ReadonlyMap<string, SchemaNode>,
): { readonly key: string; readonly node: SchemaNode; readonly negated: boolean } | undefined {
  for (const [key, node] of members) {
    const names = [key, key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)];
    if (names.includes(written)) return { key, node, negated: false };
    if (node.type === 'boolean' && names.some((name) => written === `no-${name}`))
      return { key, node, negated: true };
  }
  return undefined;
}

/** Gives words to arguments in their order; answers what is wrong, or null. */
function placeWords(
  words: readonly string[],
  members: ReadonlyMap<string, SchemaNode>,
  given: Map<string, string[]>,
): string | null {
  // Flags are options alone, so that a word never turns one on by its place.
  const open = [...members].filter(([key, node]) => node.type !== 'boolean' && !given.has(key));
  let next = 0;
  for (const [index, [key, node]] of open.entries()) {
    if (next >= words.length) return null;
    const isLast = index === open.length - 1;
    if (isLast && takesRest(node)) add(given, key, words.slice(next).join(' '));
    else if (isLast && node.type === 'array') for (const word of words.slice(next)) add(given, key, word);
    else {
      add(given, key, words[next] as string);
      next += 1;
      continue;
    }
    return null;
  }
  const over = words.length - next;
  if (over <= 0) return null;
  return over === 1 ? 'there is a word too many' : `there are ${over} words too many`;
}

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['yes', true],
  ['false', false],
  ['no', false],
]);

/** A string with a choice of values is one word. */
function takesRest(node: SchemaNode): boolean {
  return node.type === 'string' && node.allowed === undefined && node.constant === undefined;
}

function jsonOfWords(node: SchemaNode, texts: readonly string[]): Json | undefined {
  if (node.type === 'array') {
    const items = texts.map((text) => (node.items === undefined ? text : jsonOfWords(node.items, [text])));
    return items.includes(undefined) ? undefined : (items as Json[]);
  }
  const text = texts.at(-1) ?? '';
  switch (node.type) {
    case 'string':
      return text;
    case 'integer':
    case 'number':
      return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : undefined;
    case 'boolean':
      return BOOLEANS.get(text.toLowerCase());
    case 'null':
      return text === 'null' ? null : undefined;
    default:
      return parsedJson(text);
  }
}

function parsedJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

function add(given: Map<string, string[]>, key: string, text: string): void {
  const texts = given.get(key);
  if (texts === undefined) given.set(key, [text]);
  else texts.push(text);
}
