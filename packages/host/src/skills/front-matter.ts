import { singleLine } from '@fairlead/base';
import { isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml';
import { skillLimits } from '../limits.ts';

/** What the head of a skill says, in the members of the Agent Skills format (https://agentskills.io) and Fairlead's own. */
export interface SkillHead {
  readonly name: string;
  readonly description: string;
  /** Words by which it is found. */
  readonly triggers: readonly string[];
  readonly tags: readonly string[];
  /** Tools without which it is hidden. */
  readonly requiresTools: readonly string[];
  /** Shown, and gives nothing. */
  readonly allowedTools?: string;
  readonly license?: string;
  readonly compatibility?: string;
  /** What is kept and has no effect, in words for a person. */
  readonly notes: readonly string[];
}

/** A skill as text, or the line on which it cannot be read. */
export type SkillTextReading =
  | { readonly ok: true; readonly head: SkillHead; readonly body: string }
  | { readonly ok: false; readonly line: number; readonly problem: string };

type Value = string | number | boolean | null | readonly Value[] | { readonly [key: string]: Value };

const KNOWN = ['name', 'description', 'license', 'compatibility', 'metadata', 'allowed-tools'];
const OWN = ['requires_tools', 'triggers', 'tags'];
const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const TOOL = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;

class Unreadable extends Error {
  readonly line: number;

  constructor(line: number, problem: string) {
    super(problem);
    this.line = line;
  }
}

/** True for what may name a skill: lower-case letters, digits and single hyphens, 64 at most. */
export function isSkillName(name: unknown): name is string {
  return typeof name === 'string' && name.length <= skillLimits.name && NAME.test(name);
}

/**
 * Reads a `SKILL.md`: a head in YAML between two lines of `---`, then its text. A byte order mark and line ends of any system are read. Never
 * throws; the line counts from 1, over the whole file.
 */
export function readSkillText(text: string): SkillTextReading {
  try {
    return readText(text);
  } catch (thrown) {
    if (thrown instanceof Unreadable) return { ok: false, line: thrown.line, problem: thrown.message };
    // The parser goes into itself for each level: a head without bottom ends in the stack's own error.
    return { ok: false, line: 2, problem: 'its head is nested too deeply' };
  }
}

function readText(whole: string): SkillTextReading {
  if (Buffer.byteLength(whole) > skillLimits.textBytes)
    throw new Unreadable(1, `it is larger than ${skillLimits.textBytes / 1024} KiB`);
  const lines = whole.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/);
  const [first = ''] = lines;
  if (first.trimEnd() !== '---')
    throw new Unreadable(1, 'it does not begin with a line of three hyphens (---)');
  const nul = lines.findIndex((line) => line.includes('\0'));
  if (nul >= 0) throw new Unreadable(nul + 1, 'it holds a null character, so it is no text');
  const end = lines.findIndex((line, at) => at > 0 && line.trimEnd() === '---');
  if (end < 0)
    throw new Unreadable(1, 'its head has no end: a second line of three hyphens (---) is missing');
  const yaml = lines.slice(1, end).join('\n');
  if (Buffer.byteLength(yaml) > skillLimits.headBytes)
    throw new Unreadable(2, `its head is larger than ${skillLimits.headBytes / 1024} KiB`);
  checkNesting(lines.slice(0, end));
  const head = new HeadReader(yaml).head();
  const body = lines
    .slice(end + 1)
    .join('\n')
    .trim();
  return { ok: true, head, body };
}

/** The parser goes into itself for each level: what no head has is refused before it is parsed. Brackets inside of texts count, too. */
function checkNesting(lines: readonly string[]): void {
  let depth = 0;
  for (const [at, line] of lines.entries()) {
    if (/^\.\.\.\s*$/.test(line)) throw new Unreadable(at + 1, 'its head ends before its last line (at ...)');
    for (const character of line)
      if (character === '[' || character === '{') depth += 1;
      else if (character === ']' || character === '}') depth = Math.max(0, depth - 1);
    if (depth > skillLimits.openBrackets || /(?:[-?:]\s+){33}/.test(line))
      throw new Unreadable(at + 1, 'its head is nested too deeply');
  }
}

/** The YAML between the lines, whose own first line is the file's second. */
class HeadReader {
  readonly #counter = new LineCounter();
  readonly #root: { readonly [key: string]: Value };
  readonly #lines = new Map<string, number>();
  readonly #notes: string[] = [];
  #values = 0;

  constructor(yaml: string) {
    const document = parseDocument(yaml, {
      ...{ lineCounter: this.#counter, prettyErrors: false, logLevel: 'silent' as const },
      ...{ schema: 'core' as const, version: '1.2' as const, uniqueKeys: true, stringKeys: true },
    });
    const [fault] = [...document.errors, ...document.warnings];
    if (fault !== undefined) throw new Unreadable(this.#lineAt(fault.pos[0]), wordsOf(fault.message));
    const root = this.#value(document.contents, 0);
    if (!isRecord(root)) throw new Unreadable(2, 'its head is no list of keys and values');
    this.#root = root;
  }

  head(): SkillHead {
    const name = this.#root['name'];
    if (name === undefined || name === null) throw new Unreadable(1, 'its head has no name');
    if (!isSkillName(name))
      this.#refuse(
        'name',
        `name must be 1 to ${skillLimits.name} lower-case letters, digits and single hyphens`,
      );
    const description = this.#text('description', skillLimits.description) ?? '';
    const metadata = this.#metadata();
    const allowed = this.#root['allowed-tools'];
    const license = this.#text('license', skillLimits.shortText);
    const compatibility = this.#text('compatibility', skillLimits.shortText);
    this.#noteUnknown();
    return {
      ...{ name, description },
      triggers: this.#words('triggers', metadata, /,/),
      tags: this.#words('tags', metadata, /,/),
      requiresTools: this.#tools(metadata),
      ...(allowed === undefined || allowed === null ? {} : { allowedTools: shownWords(allowed) }),
      ...(license === undefined ? {} : { license }),
      ...(compatibility === undefined ? {} : { compatibility }),
      notes: this.#notes,
    };
  }

  /** One line of text; what is longer than it may be is refused, so that nobody reads half a sentence. */
  #text(key: string, most: number): string | undefined {
    const value = this.#root[key];
    if (value === undefined || value === null) return undefined;
    if (typeof value !== 'string') this.#refuse(key, `${key} must be text: put it in quotes`);
    const line = oneLine(value);
    if ([...line].length > most) this.#refuse(key, `${key} has more than ${most} characters`);
    return line;
  }

  #metadata(): { readonly [key: string]: Value } {
    const value = this.#root['metadata'];
    if (value === undefined || value === null) return {};
    return isRecord(value) ? value : this.#refuse('metadata', 'metadata must be keys and values');
  }

  #tools(metadata: { readonly [key: string]: Value }): readonly string[] {
    const tools = this.#words('requires_tools', metadata, /[,\s]/);
    for (const tool of tools)
      if (!TOOL.test(tool))
        this.#refuse(this.#placeOf('requires_tools'), 'requires_tools must be names of tools');
    return tools;
  }

  #placeOf(key: string): string {
    return this.#root[key] === undefined ? 'metadata' : key;
  }

  /** A list of short texts, or one text that is taken apart; at the top, else under `metadata`, where values are texts. */
  #words(key: string, metadata: { readonly [key: string]: Value }, between: RegExp): readonly string[] {
    const value = this.#root[key] ?? metadata[key] ?? [];
    const place = this.#placeOf(key);
    const parts = typeof value === 'string' ? value.split(between) : value;
    if (!Array.isArray(parts)) this.#refuse(place, `${key} must be a list of words`);
    const words = (parts as readonly Value[]).map((word) => {
      if (typeof word !== 'string') this.#refuse(place, `${key} must be a list of words: put them in quotes`);
      return oneLine(word);
    });
    const kept = [...new Set(words.filter((word) => word !== ''))];
    if (kept.length > skillLimits.words)
      this.#refuse(place, `${key} has more than ${skillLimits.words} words`);
    if (kept.some((word) => [...word].length > skillLimits.word))
      this.#refuse(place, `a word of ${key} has more than ${skillLimits.word} characters`);
    return kept;
  }

  /** Nothing that is unknown makes a skill unreadable: the format grows. A near miss of what hides a skill is worth a word. */
  #noteUnknown(): void {
    for (const key of Object.keys(this.#root)) {
      const near = OWN.find((own) => own === key.toLowerCase().replaceAll('-', '_'));
      if (near !== undefined && near !== key)
        this.#notes.push(`${shortKey(key)} has no effect; it is written ${near}`);
      else if (near === undefined && !KNOWN.includes(key)) this.#notes.push(`${shortKey(key)} has no effect`);
    }
  }

  #value(node: unknown, depth: number): Value {
    this.#values += 1;
    const line = this.#lineOf(node);
    if (this.#values > skillLimits.headValues) throw new Unreadable(line, 'its head has too many values');
    if (depth > skillLimits.headDepth) throw new Unreadable(line, 'its head is nested too deeply');
    if (node === null || node === undefined) return null;
    if (isAlias(node))
      throw new Unreadable(line, 'a reference to another place (*) is not read: write the value out');
    if (isScalar(node)) return scalarOf(node.value, line);
    if (isSeq(node)) return node.items.map((item) => this.#value(item, depth + 1));
    if (!isMap(node)) throw new Unreadable(line, 'its head holds what is no value');
    const record: { [key: string]: Value } = Object.create(null) as { [key: string]: Value };
    for (const { key, value } of node.items) {
      const name = isScalar(key) ? String(key.value) : '';
      if (depth === 0) this.#lines.set(name, this.#lineOf(key));
      record[name] = this.#value(value, depth + 1);
    }
    return record;
  }

  #refuse(key: string, problem: string): never {
    throw new Unreadable(this.#lines.get(key) ?? 2, problem);
  }

  #lineOf(node: unknown): number {
    const range = (node as Node | null | undefined)?.range;
    return range === undefined || range === null ? 2 : this.#lineAt(range[0]);
  }

  #lineAt(offset: number): number {
    return Math.max(1, this.#counter.linePos(offset).line) + 1;
  }
}

function scalarOf(value: unknown, line: number): Value {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  if (value === null || value === undefined) return null;
  throw new Unreadable(line, 'its head holds what is no value');
}

function isRecord(value: Value | undefined): value is { readonly [key: string]: Value } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What is read by a model without a person having read it before: nothing in it may be unseen. */
function oneLine(text: string): string {
  const seen = singleLine(text).replaceAll(
    /[\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Default_Ignorable_Code_Point}\u2800]/gu,
    '',
  );
  return seen.replaceAll(/\s+/gu, ' ').trim();
}

/** For people: what the skill says it uses. */
function shownWords(value: Value): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return [...oneLine(text)].slice(0, skillLimits.shortText).join('');
}

function shortKey(key: string): string {
  return [...oneLine(key)].slice(0, 40).join('');
}

/** The parser's own words, on one line. */
function wordsOf(message: string): string {
  if (message.startsWith('Maximum call stack')) return 'its head is nested too deeply';
  return `its head is no YAML: ${[...singleLine(message)].slice(0, 160).join('')}`;
}
