import { randomInt } from 'node:crypto';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { repositoryRoot } from '@fairlead/testing';
import { CORPUS_MAX_BYTES, CorpusFolder, inputName } from './corpus-folder.ts';
import { fuzzTarget } from './engine/fuzz-target.ts';
import type { Failure } from './engine/judge.ts';
import type { FuzzResult } from './engine/work.ts';
import { FUZZ_USAGE, type FuzzCommand, readFuzzCommand } from './fuzz-options.ts';
import { type LoadedTarget, loadTarget, targetNames } from './targets/index.ts';

type Output = { out(text: string): void; err(text: string): void };

/** Where the command looks; its own test gives it planted faults. */
type Places = {
  readonly names: readonly string[];
  load(name: string): Promise<LoadedTarget>;
  /** Holds the folders `corpus` and `failures`. */
  readonly folder: string;
};

const PLACES: Places = { names: targetNames, load: loadTarget, folder: import.meta.dirname };

/** The whole command. Answers the exit status: 0 where everything held, 1 where something did not, 2 for a wrong command line. */
export async function runFuzz(
  args: readonly string[],
  { out, err }: Output,
  places: Places = PLACES,
): Promise<number> {
  if (args.includes('--help')) {
    out(`${FUZZ_USAGE}\ntargets: ${places.names.join(', ')}\n`);
    return 0;
  }
  const command = readFuzzCommand(args, places.names, () => randomInt(2 ** 31));
  if (typeof command === 'string') {
    err(`${command}\n${FUZZ_USAGE}\n`);
    return 2;
  }
  if (command.input !== undefined && statSync(command.input, { throwIfNoEntry: false })?.isFile() !== true) {
    err(`there is no file ${command.input}\n`);
    return 2;
  }
  out(`seed ${command.seed}\n`);
  let failures = 0;
  const waiting = [...command.targets];
  const job = async () => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      const loaded = await places.load(name);
      const startedMs = performance.now();
      const result = await fuzzOne(loaded, command, places);
      const seconds = (performance.now() - startedMs) / 1_000;
      out(`${line(name, result, seconds)}\n`);
      for (const failure of result.failures) out(`${told(name, failure, command, places)}\n`);
      failures += result.failures.length + (result.ended === 'well' || result.failures.length > 0 ? 0 : 1);
    }
  };
  await Promise.all(Array.from({ length: command.jobs }, job));
  return failures === 0 ? 0 : 1;
}

async function fuzzOne(
  { target, module }: LoadedTarget,
  command: FuzzCommand,
  places: Places,
): Promise<FuzzResult> {
  const folder = new CorpusFolder(join(places.folder, 'corpus'), target.name);
  const { seed, budgetMs, keeps, input } = command;
  if (input !== undefined)
    return await fuzzTarget({ target, module, corpus: [readFileSync(input)], seed, budgetMs, isAlone: true });
  const corpus = folder.read();
  const keepBytes = keeps ? CORPUS_MAX_BYTES : 0;
  const result = await fuzzTarget({ target, module, corpus, seed, budgetMs, keepBytes });
  if (keeps && result.ended === 'well') folder.write(result.least);
  return result;
}

function line(name: string, { runs, features, kept, failures, ended }: FuzzResult, seconds: number): string {
  const state = failures.length === 0 && ended === 'well' ? 'ok  ' : 'FAIL';
  const end = ended === 'well' ? '' : `, ${ended}`;
  const rate = Math.round(runs / seconds);
  return `${state} ${name.padEnd(20)} ${runs} inputs, ${rate}/s, ${features} features, ${kept} new${end}`;
}

/** Writes a failing input down, and says what it broke and how to run it again. */
function told(name: string, failure: Failure, { input }: FuzzCommand, places: Places): string {
  let path = input;
  if (path === undefined) {
    const folder = join(places.folder, 'failures');
    mkdirSync(folder, { recursive: true });
    path = join(folder, `${name}-${inputName(failure.input)}`);
    writeFileSync(path, failure.input);
  }
  const shown = relative(repositoryRoot, path);
  return `     ${failure.message}\n     again: npm run fuzz -- --target ${name} --input ${shown}`;
}
