// npm run soak -- --minutes M, and what else SOAK_USAGE says: docs/how-to/run-a-soak.md.
import { randomInt } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { allActions } from './actions/index.ts';
import { soak } from './soak.ts';
import { parseSoakCommand, SOAK_USAGE, type SoakCommand } from './soak-options.ts';
import { exitStatusOf, verdictText } from './verdict.ts';

const say = (line: string) => void process.stderr.write(`${line}\n`);
const args = process.argv.slice(2);
const parsed = parseSoakCommand(args, () => randomInt(2 ** 32));
if (args.includes('--help')) process.stdout.write(SOAK_USAGE);
else if (parsed.ok) process.exitCode = await run(parsed.command);
else {
  process.stderr.write(parsed.message);
  process.exitCode = 2;
}

/** 0 nothing rises and nothing went wrong, 1 something does or did. */
async function run({ minutes, seed, samplesFile, only, counter }: SoakCommand): Promise<number> {
  if (process.platform !== 'linux') {
    say('a soak reads /proc, which this system does not have');
    return 2;
  }
  const actions = allActions.filter(({ name }) => only === null || name.includes(only));
  if (actions.length === 0) {
    say(`no action has '${only}' in its name; there are:\n${allActions.map(({ name }) => name).join('\n')}`);
    return 2;
  }
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => stop.abort(new Error(`interrupted by ${signal}`)));
  const at = new Date().toISOString().replaceAll(/[:.]/g, '-');
  const file = samplesFile ?? join(import.meta.dirname, 'results', `soak-${at}-${seed}.jsonl`);
  const folder = mkdtempSync(join(tmpdir(), 'fairlead-soak-'));
  say(`soak of ${minutes} minutes, seed ${seed}; samples go to ${file}`);
  try {
    const result = await soak({
      ...{ durationMs: minutes * 60_000, seed, actions, folder, samplesFile: file },
      ...(counter === null ? {} : { counter: resolve(counter) }),
      ...{ signal: stop.signal, say },
    });
    process.stdout.write(`${JSON.stringify(result.tally.actions, null, 2)}\n`);
    process.stdout.write(`to be expected: ${JSON.stringify(result.tally.disturbances)}\n`);
    for (const verdict of result.verdicts) process.stdout.write(`${verdictText(verdict)}\n`);
    for (const fault of result.faults) say(`fault: ${fault}`);
    const rising = result.verdicts
      .filter(({ judgement }) => judgement === 'rises')
      .map(({ series }) => series);
    if (rising.length > 0) say(`not flat: ${rising.join(', ')}; the samples are in ${file}`);
    return exitStatusOf(result);
  } catch (error) {
    say(error instanceof Error ? error.message : String(error));
    return 1;
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
