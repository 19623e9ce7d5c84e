import { spawn } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Adversary } from './adversary.ts';
import type { FirstFound, FoundKind } from './figures.ts';
import type { Edit, Mutant } from './mutant-list.ts';
import { plantMutant } from './plant-mutant.ts';

export type MutantResult = {
  readonly name: string;
  readonly lie: string;
  /** Null: it was not, in all rounds, or what was found first is nothing that this lie does. */
  readonly caughtBy: {
    readonly round: number;
    readonly adversary: Adversary;
    readonly kind: FoundKind;
  } | null;
  /** What the suite printed. */
  readonly output: string;
};

/** The rounds in which a lie is looked for: the same for all, and for the tree without one. */
export type MutantRounds = { readonly seed: number; readonly rounds: number };

/** Plants a lie in a copy of the tree and lets the suite look for it there. */
export async function runMutant(mutant: Mutant, series: MutantRounds): Promise<MutantResult> {
  const { name, lie, edits, as } = mutant;
  const { output } = await suiteIn(edits, series, ['--until-found']);
  return { name, lie, caughtBy: caught(output, as), output };
}

/**
 * How the suite ended without a lie. `found`: with something that it takes for one; `failed`: it could not be run, or says of itself that what
 * it ran says nothing. `notRun`: adversaries that this machine does not let it run, with the reason.
 */
export type Control = {
  readonly kind: 'clean' | 'found' | 'failed';
  readonly notRun: readonly string[];
  /** What it printed. */
  readonly output: string;
};

/** Lets the suite look in a copy of the tree without a lie. */
export async function runControl(series: MutantRounds, jobs: number): Promise<Control> {
  const { output, exit } = await suiteIn([], series, ['--jobs', String(jobs)]);
  return controlOf(output, exit);
}

export function controlOf(output: string, exit: number | null): Control {
  const notRun = [...output.matchAll(/^not run: (.*)$/gm)].map(([, what = '']) => what);
  const kind = exit === 0 ? 'clean' : /^first found: /m.test(output) ? 'found' : 'failed';
  return { kind, notRun, output };
}

/** What was found first, where it is something that this lie does. */
export function caught(output: string, as: readonly FoundKind[]): MutantResult['caughtBy'] {
  const found = /^first found: (.*)$/m.exec(output)?.[1];
  if (found === undefined) return null;
  const { round, adversary, kinds } = JSON.parse(found) as FirstFound;
  const kind = as.find((each) => kinds.includes(each));
  return kind === undefined ? null : { round, adversary, kind };
}

async function suiteIn(
  edits: readonly Edit[],
  { seed, rounds }: MutantRounds,
  flags: readonly string[],
): Promise<{ readonly output: string; readonly exit: number | null }> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'm-')));
  try {
    plantMutant(edits, folder);
    const args = ['--seed', String(seed), '--rounds', String(rounds), ...flags];
    return await printed(join(folder, 'test/faults/main.ts'), args);
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

function printed(
  script: string,
  args: readonly string[],
): Promise<{ readonly output: string; readonly exit: number | null }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', script, ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    child.once('error', reject);
    child.once('close', (exit) => resolve({ output, exit }));
  });
}
