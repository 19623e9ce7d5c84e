import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Figures, machine } from './figures.ts';
import type { Sitting } from './kept-run.ts';
import type { MutantResult } from './mutant-run.ts';

const page = join(import.meta.dirname, '../../docs/reference/proof.md');

/** A part of the page that one command writes. */
type Section = 'faults' | 'mutants';

/** Puts what a command has measured in the place of what it had measured before. */
export function writeProof(section: Section, lines: readonly string[]): void {
  writeFileSync(page, withSection(readFileSync(page, 'utf8'), section, lines));
}

/** The page with one part renewed; the rest of it is written by hand or by the other command. */
export function withSection(text: string, section: Section, lines: readonly string[]): string {
  const [begin, end] = [`<!-- ${section}: begin -->`, `<!-- ${section}: end -->`];
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`docs/reference/proof.md has no part for ${section}`);
  return `${text.slice(0, from + begin.length)}\n\n${lines.join('\n')}\n\n${text.slice(to)}`;
}

/** What a series of rounds came to. `sittings`: of a run that was continued, what was run when and where. */
export function faultLines(
  figures: Figures,
  sittings: readonly Sitting[] = [
    { at: figures.at.toISOString(), machine: machine(), rounds: figures.rounds },
  ],
): readonly string[] {
  const { lived } = figures;
  const fault = [...figures.byFault].map(([kind, count]) => `| ${kind} | ${count} |`);
  const adversaries = [...figures.byAdversary]
    .filter(([name]) => figures.only === undefined || figures.only === name)
    .map(([name, { rounds, struck, calls, by, settled, tookMs, notRun }]) =>
      notRun === null
        ? `| \`${name}\` | ${rounds} | ${name === 'none' ? '' : struck} | ${calls} | ${by.completed} | ${by.not_started} | ${by.outcome_unknown} | ${settled} | ${rounds === 0 ? '' : Math.round(tookMs / rounds)} |`
        : `| \`${name}\` | not run: ${notRun} | | | | | | | |`,
    );
  return [
    `Seed ${figures.seed}, ${figures.rounds} rounds, ${figures.total(({ calls }) => calls)} calls. ${sittingsText(sittings)}.`,
    '',
    '| what was looked for | found |',
    '| ------------------- | ----- |',
    ...fault,
    `| a fleet that could not be brought back | ${figures.unrestored} |`,
    '',
    `Told as unknown although the Runner lived on, and of a kind that it could know: ${lived.unknown}. Of these ${lived.settled} were settled by`,
    `themselves once the link was back: ${figures.settledText}. Not counted: ${lived.beyond} of which the Runner itself says that its plugin gave it no`,
    `answer in time, and ${figures.unrecorded} that stand in no journal.`,
    '',
    '| adversary | rounds | of these struck | calls | completed | not_started | outcome_unknown | of these settled | ms a round |',
    '| --------- | ------ | --------------- | ----- | --------- | ----------- | --------------- | ---------------- | ---------- |',
    ...adversaries,
    '',
    `Calls by path: ${figures.pathsText}.`,
  ];
}

function sittingsText(sittings: readonly Sitting[]): string {
  const of = sittings.filter(({ rounds }) => rounds > 0);
  const texts = of.map(({ at, machine, rounds }) => `${rounds} on ${at.slice(0, 10)}, on ${machine}`);
  return of.length < 2
    ? `Run ${texts[0]?.replace(/^\d+ /, '')}`
    : `Run in ${of.length} parts: ${texts.join('; ')}`;
}

/** What became of the lies that were planted. */
export function mutantLines(
  results: readonly MutantResult[],
  {
    machine,
    control,
    notRun,
  }: { readonly machine: string; readonly control: number; readonly notRun: readonly string[] },
): readonly string[] {
  const caught = results.filter(({ caughtBy }) => caughtBy !== null).length;
  return [
    `${new Date().toISOString().slice(0, 10)}, on ${machine}. Caught: ${caught} of ${results.length}. In the tree as it is,`,
    `without a lie, the same ${control} rounds found nothing.${notRun.map((what) => ` Not run: ${what}.`).join('')}`,
    '',
    '| the lie | caught in round | by | as |',
    '| ------- | --------------- | -- | -- |',
    ...results.map(({ lie, caughtBy }) =>
      caughtBy === null
        ? `| ${lie} | never | | |`
        : `| ${lie} | ${caughtBy.round} | \`${caughtBy.adversary}\` | ${caughtBy.kind} |`,
    ),
  ];
}
