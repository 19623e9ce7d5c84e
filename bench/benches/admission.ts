import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Runner } from '@fairlead/runner';
import { pidIsAlive, waitFor } from '@fairlead/testing';
import { bareStart } from '../floors/bare-start.ts';
import { childPath } from '../harness/bare-provider.ts';
import type { Bench, BenchContext } from '../harness/bench.ts';
import { startBenchRunner } from '../harness/bench-runner.ts';
import { within } from '../harness/deadline.ts';
import { interleave } from '../harness/interleave.ts';
import { startLinkStub } from '../harness/link-stub.ts';
import { writeRunnerConfig } from '../harness/provider-config.ts';
import { differenceRow, reportRow } from '../harness/row.ts';
import { readStamp } from '../harness/stamp.ts';

const TOOLS = 100;
const RELOAD_LIMIT_MS = 60_000;

/** One start, in milliseconds: from its beginning, and from the child's answer to `tools/list`. */
type Start = { readonly wholeMs: number; readonly afterAnswerMs: number };

export const admission: Bench = {
  name: 'admission',
  title: `a plugin with ${TOOLS} tools, from the start of its process until they can be called`,
  async run(context) {
    await using stack = new AsyncDisposableStack();
    const stampFile = join(context.folder, 'stamp');
    const args = [childPath('catalog-plugin.mjs'), String(TOOLS), '--stamp', stampFile];
    const runner = await startWithCatalog(context, stack, args);
    const measured = await interleave(
      [
        {
          unit: 'ms',
          async round() {
            const { wholeMs, afterAnswerMs } = await reload(runner, stampFile);
            return { 'Runner reload': [wholeMs], 'Runner, after the answer': [afterAnswerMs] };
          },
        },
        {
          unit: 'ms',
          async round() {
            const startedMs = performance.now();
            const wholeMs = await bareStart(context, [args]);
            const afterAnswerMs = startedMs + wholeMs - readStamp(stampFile).atMs;
            return { 'bare start': [wholeMs], 'bare, after the answer': [afterAnswerMs] };
          },
        },
      ],
      context.plan(31, 5, 3),
    );
    return {
      measurements: Object.values(measured),
      rows: [
        differenceRow(
          `admission of ${TOOLS} tools, from the child's answer`,
          measured['Runner, after the answer'],
          measured['bare, after the answer'],
          8,
        ),
        reportRow('… from the start of its process', measured['Runner reload'], measured['bare start']),
      ],
    };
  },
};

async function startWithCatalog(
  context: BenchContext,
  stack: AsyncDisposableStack,
  args: readonly string[],
): Promise<Runner> {
  const configPath = join(context.folder, 'runner.toml');
  const providers = [{ id: 'catalog', args }];
  await writeRunnerConfig(configPath, { runner: 'bench', cwd: context.folder, providers });
  const stateDirectory = join(context.folder, 'state');
  await mkdir(stateDirectory, { mode: 0o700 });
  const gateway = stack.use(await startLinkStub());
  const runner = stack.use(await startBenchRunner({ configPath, stateDirectory, gatewayUrl: gateway.url }));
  await within(runner.settled, RELOAD_LIMIT_MS, 'starting the Runner', context.signal);
  return runner;
}

/** A reload starts the program anew and admits its catalog; the Runner around it stands already. */
async function reload(runner: Runner, stampFile: string): Promise<Start> {
  const { pid: replaced } = readStamp(stampFile);
  const startedMs = performance.now();
  const response = await runner.handleRequest({ kind: 'reload' }, RELOAD_LIMIT_MS);
  const readyMs = performance.now();
  const payload = 'payload' in response ? response.payload : undefined;
  if (payload?.kind !== 'reload' || payload.failures.length > 0 || payload.providers[0]?.status !== 'ready') {
    throw new Error(`reload failed: ${JSON.stringify(response)}`);
  }
  // The replaced process is ended meanwhile; what is measured next must not pay for that.
  await waitFor(() => !pidIsAlive(replaced), { what: 'the end of the replaced process' });
  return { wholeMs: readyMs - startedMs, afterAnswerMs: readyMs - readStamp(stampFile).atMs };
}
