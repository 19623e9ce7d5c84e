import { mkdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Report } from '../harness/report.ts';
import { performancePage } from './performance-page.ts';
import { plotsOf } from './plots.ts';

/** Writes the page of a report, and its plots into a folder beside it that has the page's name. */
export async function writePage(report: Report, pageFile: string): Promise<void> {
  const plots = plotsOf(report);
  const folder = basename(pageFile, '.md');
  const plotFolder = join(dirname(pageFile), folder);
  await mkdir(plotFolder, { recursive: true });
  for (const [name, svg] of plots) await writeFile(join(plotFolder, name), svg);
  await writeFile(pageFile, performancePage(report, new Set(plots.keys()), folder));
}
