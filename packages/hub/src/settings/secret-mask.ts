import { isJsonObject, type Json, singleLine } from '@fairlead/base';
import { settingsLimits } from '../limits.ts';

/** What stands in the place of a secret. */
const MASK = '••••••';

/**
 * Hides values of the environment: in settings, and in every text of an extension before the host keeps or shows it. Whatever
 * secrets overlap, all that any of them covers is hidden.
 */
export class SecretMask {
  readonly #whole: ReadonlySet<string>;
  /** As a text may hold them: as they are, made one line, inside JSON. */
  readonly #parts: readonly string[];

  constructor(secrets: Iterable<string> = []) {
    this.#whole = new Set([...secrets].filter((secret) => secret !== ''));
    const forms = [...this.#whole].flatMap((secret) => [
      secret,
      singleLine(secret).trim(),
      JSON.stringify(secret).slice(1, -1),
    ]);
    this.#parts = [...new Set(forms)].filter(({ length }) => length >= settingsLimits.minMaskedPart);
  }

  /** Free text. A secret of fewer than four characters is a word that stands everywhere: it is left. */
  text(text: string): string {
    const covered = this.#parts.flatMap((part) => rangesOf(text, part));
    if (covered.length === 0) return text;
    covered.sort(([one], [other]) => one - other);
    let masked = '';
    let end = 0;
    let isOpen = false;
    for (const [from, to] of covered) {
      // What touches or overlaps is one secret to whoever reads it.
      if (!isOpen || from > end) masked += `${text.slice(end, from)}${MASK}`;
      end = Math.max(end, to);
      isOpen = true;
    }
    return masked + text.slice(end);
  }

  /** The same for each text in a value, keys too. */
  json(value: Json): Json {
    return mapTexts(value, (text) => this.text(text));
  }

  /** A setting as people may see it: a text that is wholly a secret is hidden, however short it is. */
  setting(value: Json): Json {
    return mapTexts(value, (text) => this.#settingText(text));
  }

  /** Whether a setting holds a secret anywhere, in the name of a member too. */
  isIn(value: Json): boolean {
    if (typeof value === 'string') return this.#settingText(value) !== value;
    if (typeof value !== 'object' || value === null) return false;
    return Object.entries(value).some(([key, member]) => this.#settingText(key) !== key || this.isIn(member));
  }

  #settingText(text: string): string {
    return this.#whole.has(text) ? MASK : this.text(text);
  }
}

type Range = readonly [from: number, to: number];

function rangesOf(text: string, part: string): Range[] {
  const ranges: Range[] = [];
  for (let from = text.indexOf(part); from !== -1; from = text.indexOf(part, from + 1))
    ranges.push([from, from + part.length]);
  for (let to = text.indexOf('…'); to !== -1; to = text.indexOf('…', to + 1)) {
    const head = headBefore(text, to, part);
    if (head > 0) ranges.push([to - head, to]);
  }
  return ranges;
}

/** How much of a secret stands in front of a mark of what was cut off. */
function headBefore(text: string, to: number, part: string): number {
  for (let length = Math.min(part.length - 1, to); length >= settingsLimits.minMaskedPart; length -= 1)
    if (text.startsWith(part.slice(0, length), to - length)) return length;
  return 0;
}

function mapTexts(value: Json, map: (text: string) => string): Json {
  if (typeof value === 'string') return map(value);
  if (typeof value !== 'object' || value === null) return value;
  if (!isJsonObject(value)) return value.map((item) => mapTexts(item, map));
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [map(key), mapTexts(member, map)]));
}
