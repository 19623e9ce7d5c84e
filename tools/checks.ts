import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { checkFloors } from './floors.ts';
import { checkFolders } from './folders.ts';

export const root = join(import.meta.dirname, '..');

/** One static check: its name, what it holds, and how it is run. Output is shown only when it fails. */
export type Check = {
  readonly name: string;
  readonly holds: string;
  run(): Promise<{ ok: boolean; output: string }>;
};

const biome = join(root, 'node_modules/@biomejs/biome/bin/biome');
const typescript = join(root, 'node_modules/typescript/bin/tsc');
const knip = join(root, 'node_modules/knip/bin/knip.js');

export const checks: readonly Check[] = [
  {
    name: 'lint',
    holds: 'format and lint rules',
    run: () => nodeScript(biome, ['check', '--error-on-warnings']),
  },
  {
    name: 'types',
    holds: 'strict TypeScript, no emit',
    run: () => nodeScript(typescript, ['-p', '.', '--noEmit']),
  },
  {
    name: 'floors',
    holds: 'imports go down the floors',
    run: async () => {
      const faults = await checkFloors(root);
      return { ok: faults.length === 0, output: faults.join('\n') };
    },
  },
  {
    name: 'folders',
    holds: 'folders of a package import one way',
    run: async () => {
      const faults = await checkFolders(root);
      return { ok: faults.length === 0, output: faults.join('\n') };
    },
  },
  {
    name: 'exports',
    holds: 'no unused file, export or dependency',
    run: () => nodeScript(knip, ['--no-progress']),
  },
];

function nodeScript(script: string, args: readonly string[]): Promise<{ ok: boolean; output: string }> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [script, ...args], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const chunks: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.on('error', (error) => resolve({ ok: false, output: error.message }));
    child.on('close', (code) => resolve({ ok: code === 0, output: Buffer.concat(chunks).toString('utf8') }));
  });
}

/** Runs checks one after another; prints a line each, and what a failing one said. */
export async function runChecks(chosen: readonly Check[]): Promise<boolean> {
  let passed = true;
  for (const check of chosen) {
    const startedMs = performance.now();
    const { ok, output } = await check.run();
    const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
    process.stdout.write(`${ok ? 'ok  ' : 'FAIL'} ${check.name.padEnd(8)}${check.holds} (${seconds} s)\n`);
    if (!ok) process.stdout.write(`${output.trimEnd()}\n`);
    passed &&= ok;
  }
  return passed;
}
