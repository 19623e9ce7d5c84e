import { mkdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Report } from '../harness/report.ts';
import { linesOf, reportOfLines } from '../harness/report-lines.ts';
import { performancePage, RUN_FILE } from './performance-page.ts';
import { plotsOf } from './plots.ts';

/**
 * Writes the page of a report; its plots, and the run itself, into a folder beside it that has the page's name. The page is made of what was
 * kept, so that it can be made again and held against it.
 */
export async function writePage(report: Report, pageFile: string): Promise<void> {
  const lines = linesOf(report);
  const kept = reportOfLines(lines);
  const plots = plotsOf(kept);
  const runFile = runFileOf(pageFile);
  const plotFolder = dirname(runFile);
  const folder = basename(plotFolder);
  await mkdir(plotFolder, { recursive: true });
  for (const [name, svg] of plots) await writeFile(join(plotFolder, name), svg);
  await writeFile(runFile, lines);
  await writeFile(pageFile, performancePage(kept, new Set(plots.keys()), folder));
}

/** Where the run of a page is kept. */
export function runFileOf(pageFile: string): string {
  return join(dirname(pageFile), basename(pageFile, '.md'), RUN_FILE);
}
