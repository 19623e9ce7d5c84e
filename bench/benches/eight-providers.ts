import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { bareStart } from '../floors/bare-start.ts';
import { childPath } from '../harness/bare-provider.ts';
import type { Bench, BenchContext } from '../harness/bench.ts';
import { startBenchRunner } from '../harness/bench-runner.ts';
import { within } from '../harness/deadline.ts';
import { interleave } from '../harness/interleave.ts';
import { startLinkStub } from '../harness/link-stub.ts';
import { writeRunnerConfig } from '../harness/provider-config.ts';
import { orderRow, ratioRow } from '../harness/row.ts';
import { readStamp } from '../harness/stamp.ts';

const COUNT = 8;
const READY_LIMIT_MS = 30_000;

/** What one start of a Runner came to, in milliseconds from before it was started. */
type Start = { readonly readyMs: number; readonly registeredMs: number; readonly firstAnswerMs: number };

export const eightProviders: Bench = {
  name: 'providers',
  title: 'a Runner with eight node providers, from its start until all are ready',
  async run(context) {
    await using stack = new AsyncDisposableStack();
    const gateway = stack.use(await startLinkStub());
    const measured = await interleave(
      [
        {
          unit: 'ms',
          async round(round) {
            const start = await startOnce(context, gateway.url, round);
            return {
              'eight providers ready': [start.readyMs],
              'Runner registered': [start.registeredMs],
              'first provider answers': [start.firstAnswerMs],
            };
          },
        },
        {
          unit: 'ms',
          round: async () => ({
            'eight bare children': [await bareStart(context, stampedChildren(context.folder, 'bare'))],
          }),
        },
      ],
      context.plan(15, 4, 2),
    );
    return {
      measurements: Object.values(measured),
      rows: [
        ratioRow(
          'eight providers ready against eight bare children',
          measured['eight providers ready'],
          measured['eight bare children'],
          1.25,
        ),
        orderRow(
          'Runner registered before the first provider answers',
          measured['Runner registered'],
          measured['first provider answers'],
        ),
      ],
    };
  },
};

/** The arguments of eight children, each of which stamps its first answer in a file of its own. */
function stampedChildren(folder: string, prefix: string): string[][] {
  return Array.from({ length: COUNT }, (_, index) => [
    childPath('add-plugin.mjs'),
    '--stamp',
    join(folder, `${prefix}${index}`),
  ]);
}

async function startOnce(context: BenchContext, gatewayUrl: string, round: number): Promise<Start> {
  const stateDirectory = join(context.folder, `state${round}`);
  await mkdir(stateDirectory, { mode: 0o700 });
  const args = stampedChildren(stateDirectory, 'first-answer-');
  const configPath = join(stateDirectory, 'runner.toml');
  const providers = args.map((each, index) => ({ id: `p${index}`, args: each }));
  await writeRunnerConfig(configPath, { runner: 'bench', cwd: context.folder, providers });
  const startedMs = performance.now();
  await using runner = await startBenchRunner({ configPath, stateDirectory, gatewayUrl });
  let registeredMs = Number.POSITIVE_INFINITY;
  void runner.registered.then(() => {
    registeredMs = performance.now();
  });
  await within(runner.settled, READY_LIMIT_MS, 'eight providers', context.signal);
  const readyMs = performance.now();
  await within(runner.registered, READY_LIMIT_MS, 'the registration', context.signal);
  const failed = runner.status().filter(({ status }) => status !== 'ready');
  if (failed.length > 0) throw new Error(`not ready: ${JSON.stringify(failed)}`);
  const answers = args.map((each) => readStamp(each[2] ?? '').atMs);
  await runner.close();
  await rm(stateDirectory, { recursive: true });
  return {
    readyMs: readyMs - startedMs,
    registeredMs: registeredMs - startedMs,
    firstAnswerMs: Math.min(...answers) - startedMs,
  };
}
