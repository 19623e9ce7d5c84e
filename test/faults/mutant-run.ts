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

/** Lets the suite look in a copy of the tree without a lie. Null: it found nothing; what it printed otherwise. */
export async function runControl(series: MutantRounds, jobs: number): Promise<string | null> {
  const { output, exit } = await suiteIn([], series, ['--jobs', String(jobs)]);
  return exit === 0 ? null : output;
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
