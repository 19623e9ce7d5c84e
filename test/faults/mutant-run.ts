import { spawn } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FirstFound } from './figures.ts';
import type { Mutant } from './mutant-list.ts';
import { plantMutant } from './plant-mutant.ts';

export type MutantResult = {
  readonly name: string;
  readonly lie: string;
  /** Null: it was not, in all rounds. */
  readonly caughtBy: FirstFound | null;
  /** What the suite printed. */
  readonly output: string;
};

/** Plants a lie in a copy of the tree and lets the suite look for it there. */
export async function runMutant(
  mutant: Mutant,
  series: { readonly seed: number; readonly rounds: number },
): Promise<MutantResult> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'm-')));
  try {
    plantMutant(mutant, folder);
    const args = ['--seed', String(series.seed), '--rounds', String(series.rounds), '--until-found'];
    const output = await printed(join(folder, 'test/faults/main.ts'), args);
    const found = /^first found: (.*)$/m.exec(output)?.[1];
    const caughtBy = found === undefined ? null : (JSON.parse(found) as FirstFound);
    return { name: mutant.name, lie: mutant.lie, caughtBy, output };
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

function printed(script: string, args: readonly string[]): Promise<string> {
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
    child.once('close', () => resolve(output));
  });
}
