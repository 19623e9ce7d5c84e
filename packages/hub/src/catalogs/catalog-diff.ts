import { encodeJson, isJsonObject, type Json, type JsonObject, jsonEqual } from '@fairlead/base';
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
  /** What is approved by whoever approves this; null for a tool that is gone. */
  readonly observation: string | null;
  readonly marks: readonly DiffMark[];
  /** One sentence for each mark's reason. Foreign text in it is visible and on one line. */
  readonly warnings: readonly string[];
  /** Lines that begin with `+`, `-` or a space. */
  readonly lines: readonly string[];
}

/** What waits for somebody to approve it, and what is gone: nothing for a catalog that holds. */
export function catalogDiff(rows: readonly CatalogRow[]): readonly ToolDiff[] {
  return rows.filter(({ state }) => state !== 'approved').map(toolDiff);
}

function toolDiff({ tool, state, approved, offered }: CatalogRow): ToolDiff {
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
  ].slice(0, catalogLimits.maxDiffLines);
  return {
    ...{ tool, state, marks },
    observation: offered?.observation ?? null,
    warnings: warnings.map(shown),
    lines: linesOf(before, after),
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

function linesOf(before: JsonObject | undefined, after: JsonObject): readonly string[] {
  const lines: string[] = [];
  differences(before, after, '', lines, 0);
  if (lines.length <= catalogLimits.maxDiffLines) return lines;
  const more = lines.length - catalogLimits.maxDiffLines;
  return [...lines.slice(0, catalogLimits.maxDiffLines), `  and ${more} lines more`];
}

const MAX_DEPTH = 32;

function differences(
  before: Json | undefined,
  after: Json | undefined,
  at: string,
  lines: string[],
  depth: number,
): void {
  if (before !== undefined && after !== undefined && jsonEqual(before, after)) return;
  const both = isJsonObject(before ?? null) && isJsonObject(after ?? null);
  const whole = before === undefined && at === '' && isJsonObject(after ?? null);
  if ((both || whole) && depth < MAX_DEPTH) {
    const old = (before ?? {}) as JsonObject;
    const now = after as JsonObject;
    for (const key of new Set([...Object.keys(old), ...Object.keys(now)]))
      differences(old[key], now[key], at === '' ? key : `${at}.${key}`, lines, depth + 1);
    return;
  }
  if (before !== undefined) lines.push(...textLines('-', at, before));
  if (after !== undefined) lines.push(...textLines('+', at, after));
}

function textLines(sign: string, at: string, value: Json): readonly string[] {
  const text = typeof value === 'string' ? value : encodeJson(value);
  const parts = text.split('\n').slice(0, catalogLimits.maxDiffLines + 1);
  return parts.map((part, index) =>
    index === 0 ? `${sign} ${shown(at)}: ${shown(part)}` : `${sign}   ${shown(part)}`,
  );
}

/** Foreign text on one line: what cannot be seen is written out, what is long is cut. */
function shown(text: string): string {
  const whole = text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu, (character) => {
      return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
    });
  const points = [...whole];
  if (points.length <= catalogLimits.maxDiffLine) return whole;
  return `${points.slice(0, catalogLimits.maxDiffLine).join('')}… (${points.length} characters)`;
}
