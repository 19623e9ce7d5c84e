import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { isJsonObject } from '@fairlead/base';
import type { Baseline } from './baseline.ts';
import type { Report } from './report.ts';
import { reportOfLines } from './report-lines.ts';

/** What stands in a file, or a sentence on why it is of no use. */
export type FromFile<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly fault: string };

type Document<T> = {
  readonly what: string;
  readonly parse: (text: string) => T;
  /** Names of lists that it has, besides `machine`. */
  readonly lists: readonly string[];
};

/** A report as `--json` writes it, or as the page has it beside it. One of an older run has no durations. */
export async function reportIn(file: string): Promise<FromFile<Report>> {
  const parse = file.endsWith('.jsonl') ? reportOfLines : (text: string) => JSON.parse(text) as Report;
  const lists = ['benches', 'rows', 'measurements', 'skipped', 'failures'];
  const read = await documentIn(file, { what: 'report', parse, lists });
  if (!read.ok) return read;
  return { ok: true, value: { ...read.value, durations: read.value.durations ?? [] } };
}

/** The committed ratios; null where there is no such file. */
export async function baselineIn(file: string | undefined): Promise<FromFile<Baseline | null>> {
  if (file === undefined || !existsSync(file)) return { ok: true, value: null };
  const parse = (text: string) => JSON.parse(text) as Baseline;
  return await documentIn(file, { what: 'baseline', parse, lists: ['rows'] });
}

async function documentIn<T>(file: string, { what, parse, lists }: Document<T>): Promise<FromFile<T>> {
  try {
    const value = parse(await readFile(file, 'utf8'));
    if (
      isJsonObject(value) &&
      isJsonObject(value['machine']) &&
      lists.every((at) => Array.isArray(value[at]))
    )
      return { ok: true, value };
    return { ok: false, fault: `there is no ${what} in ${file}: it is another document` };
  } catch (error) {
    return { ok: false, fault: `there is no ${what} in ${file}: ${(error as Error).message}` };
  }
}
