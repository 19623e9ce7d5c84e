import {
  encodeJson,
  isJsonObject,
  type Json,
  type JsonObject,
  jsonEqual,
  replaceHidden,
} from '@fairlead/base';
import { catalogLimits } from '../limits.ts';
import type { CatalogRow, CatalogState } from './catalog.ts';
import { newOrders } from './imperative-text.ts';
import { schemaWidening } from './schema-widening.ts';

/** What a reader must not overlook. */
export type DiffMark = 'input_widened' | 'hint_weakened' | 'new_orders';

/** What is another thing about one tool than what was approved, for people. */
export interface ToolDiff {
  /** `''` for what the source says of itself. */
  readonly tool: string;
  readonly state: CatalogState;
  /** What is approved by whoever approves this; null for a tool that is gone, and for one of which not everything is shown. */
  readonly observation: string | null;
  readonly marks: readonly DiffMark[];
  /** One sentence for each mark's reason. Foreign text in it is visible and on one line. */
  readonly warnings: readonly string[];
  /** Lines that begin with `+`, `-` or a space. What is long goes on in the next one, behind `…`; nothing of it is cut. */
  readonly lines: readonly string[];
}

/** UTF-16 units that an answer still has room for. Below zero nothing more is shown in it. */
type Room = { left: number };

/**
 * What waits for somebody to approve it, and what is gone: nothing for a catalog that holds. What is beyond the room of one answer is named and has no
 * observation: what was not shown cannot be approved.
 */
export function catalogDiff(rows: readonly CatalogRow[]): readonly ToolDiff[] {
  const room: Room = { left: catalogLimits.diffLength };
  return rows.filter(({ state }) => state !== 'approved').map((row) => toolDiff(row, room));
}

function toolDiff({ tool, state, approved, offered }: CatalogRow, room: Room): ToolDiff {
  if (state === 'gone')
    return {
      tool,
      state,
      observation: null,
      marks: [],
      warnings: [],
      lines: ['  it is not offered any more'],
    };
  const before = approved?.definition;
  const after = offered?.definition ?? {};
  const widened = before === undefined ? [] : schemaWidening(before['inputSchema'], after['inputSchema']);
  const weakened = weakenedHints(before, after);
  const orders = newOrders(before, after);
  const marks: DiffMark[] = [
    ...(widened.length === 0 ? [] : (['input_widened'] as const)),
    ...(weakened.length === 0 ? [] : (['hint_weakened'] as const)),
    ...(orders.length === 0 ? [] : (['new_orders'] as const)),
  ];
  const warnings = [
    ...widened.map((what) => `takes more: ${what}`),
    ...weakened.map((what) => `says that less can go wrong: ${what}`),
    ...orders.map((what) => `tells the model what to do: ${what}`),
  ].slice(0, catalogLimits.maxWarnings);
  const lines = linesOf(before, after, room);
  return {
    ...{ tool, state, marks },
    observation: lines === undefined ? null : (offered?.observation ?? null),
    warnings: warnings.map(cut),
    lines: lines ?? ['  too much to be shown here, so not approved with the others: look at it alone'],
  };
}

/** Hints by which fewer people are asked, or that promise more. */
function weakenedHints(before: JsonObject | undefined, after: JsonObject): readonly string[] {
  if (before === undefined) return [];
  const old = hintsOf(before);
  const now = hintsOf(after);
  const found: string[] = [];
  if (now['readOnlyHint'] === true && old['readOnlyHint'] !== true) found.push('it only reads now');
  if (old['destructiveHint'] === true && now['destructiveHint'] !== true)
    found.push('it destroys nothing now');
  if (old['destructiveHint'] === undefined && now['destructiveHint'] === false)
    found.push('it destroys nothing now');
  if (now['idempotentHint'] === true && old['idempotentHint'] !== true)
    found.push('calling it twice is as calling it once');
  if (now['openWorldHint'] === false && old['openWorldHint'] !== false)
    found.push('it reaches nothing outside now');
  return found;
}

function hintsOf(definition: JsonObject): JsonObject {
  const annotations: Json = definition['annotations'] ?? null;
  return isJsonObject(annotations) ? annotations : {};
}

/** Undefined where they have no room. */
function linesOf(
  before: JsonObject | undefined,
  after: JsonObject,
  room: Room,
): readonly string[] | undefined {
  const lines: string[] = [];
  differences(before, after, '', { lines, room }, 0);
  return room.left < 0 ? undefined : lines;
}

const MAX_DEPTH = 32;

function differences(
  before: Json | undefined,
  after: Json | undefined,
  at: string,
  sheet: { readonly lines: string[]; readonly room: Room },
  depth: number,
): void {
  const { lines, room } = sheet;
  if (room.left < 0 || (before !== undefined && after !== undefined && jsonEqual(before, after))) return;
  const both = isJsonObject(before ?? null) && isJsonObject(after ?? null);
  const whole = before === undefined && at === '' && isJsonObject(after ?? null);
  if ((both || whole) && depth < MAX_DEPTH) {
    const old = (before ?? {}) as JsonObject;
    const now = after as JsonObject;
    for (const key of new Set([...Object.keys(old), ...Object.keys(now)]))
      differences(old[key], now[key], at === '' ? key : `${at}.${key}`, sheet, depth + 1);
    return;
  }
  const added = [
    ...(before === undefined ? [] : textLines('-', at, before)),
    ...(after === undefined ? [] : textLines('+', at, after)),
  ];
  for (const line of added) {
    lines.push(line);
    room.left -= line.length + 1;
  }
}

/** A text in full: its end is where something would be hidden. */
function textLines(sign: string, at: string, value: Json): readonly string[] {
  const text = typeof value === 'string' ? value : encodeJson(value);
  return text.split('\n').flatMap((part, index) => {
    const begin = index === 0 ? `${sign} ${visible(at)}: ` : `${sign}   `;
    return rowsOf(part).map((row, nth) => (nth === 0 ? `${begin}${row}` : `${sign} … ${row}`));
  });
}

/** At least one, each of at most `maxDiffLine` characters of the text. */
function rowsOf(text: string): readonly string[] {
  const points = [...text.toWellFormed()];
  const rows: string[] = [];
  let from = 0;
  do {
    const end = from + catalogLimits.maxDiffLine;
    rows.push(visible(points.slice(from, end).join('')));
    from = end;
  } while (from < points.length);
  return rows;
}

/** Foreign text on one line: what cannot be seen is written out. */
function visible(text: string): string {
  return replaceHidden(
    text.toWellFormed(),
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}

/** The same of a warning, which only points at what the lines show in full: what is long is cut. */
function cut(text: string): string {
  const whole = visible(text);
  const points = [...whole];
  if (points.length <= catalogLimits.maxDiffLine) return whole;
  return `${points.slice(0, catalogLimits.maxDiffLine).join('')}… (${points.length} characters)`;
}
