import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { waitFor } from '@fairlead/testing';
import { childPath } from '../harness/bare-provider.ts';
import type { Bench, BenchContext } from '../harness/bench.ts';
import { launcher, type RunningHost, startHost } from '../harness/fairlead-host.ts';
import { firstLine } from '../harness/first-line.ts';
import { HostClient } from '../harness/host-client.ts';
import { comeToRest } from '../harness/idle.ts';
import { interleave } from '../harness/interleave.ts';
import { residentMib } from '../harness/process-memory.ts';
import { writeRunnerConfig } from '../harness/provider-config.ts';
import { reportRow } from '../harness/row.ts';

const PROVIDERS = ['one', 'two', 'three'];

type Figures = 'fairlead up' | 'fairlead serve' | 'fairlead runner run' | 'node alone';

export const idleMemory: Bench = {
  name: 'memory',
  title: 'resident memory of idle processes; a Runner has three plugins, which are not counted',
  async run(context) {
    const runnerConfig = join(context.folder, 'runner.toml');
    const providers = PROVIDERS.map((id) => ({ id, args: [childPath('add-plugin.mjs')] }));
    await writeRunnerConfig(runnerConfig, { runner: 'bench', cwd: context.folder, providers });
    const measured = await interleave(
      [{ unit: 'MiB', round: (round) => measure(context, runnerConfig, round) }],
      context.plan(3, 1, 0),
    );
    return {
      measurements: Object.values(measured),
      rows: [
        reportRow('gateway and Runner in one process (fairlead up)', measured['fairlead up']),
        reportRow('gateway alone (fairlead serve)', measured['fairlead serve']),
        reportRow('Runner alone (fairlead runner run)', measured['fairlead runner run']),
        reportRow('an idle Node, for comparison', measured['node alone']),
      ],
    };
  },
};

/** All of them side by side, so that they share what they can share. */
async function measure(
  context: BenchContext,
  runnerConfig: string,
  round: number,
): Promise<Record<Figures, number[]>> {
  await using stack = new AsyncDisposableStack();
  const folder = join(context.folder, `round${round}`);
  await mkdir(folder);
  stack.defer(() => rm(folder, { recursive: true }));
  const both = await startHost(context, { stateDirectory: join(folder, 'up'), runnerConfig });
  stack.defer(() => both.stop());
  const gateway = await startHost(context, { stateDirectory: join(folder, 'serve') });
  stack.defer(() => gateway.stop());
  const runner = await startRunnerProcess(context, stack, { gateway, folder, runnerConfig });
  const idle = context.children.start(process.execPath, ['-e', 'setInterval(() => {}, 1e9); console.log()']);
  stack.defer(() => context.children.end(idle));
  await firstLine(idle, 'an idle Node', context.signal);
  await comeToRest(context.signal);
  return {
    'fairlead up': [residentMib(both.pid)],
    'fairlead serve': [residentMib(gateway.pid)],
    'fairlead runner run': [residentMib(runner)],
    'node alone': [residentMib(idle.pid ?? 0)],
  };
}

/** Starts `fairlead runner run` and gives its pid once all of its plugins are ready. */
async function startRunnerProcess(
  context: BenchContext,
  stack: AsyncDisposableStack,
  { gateway, folder, runnerConfig }: { gateway: RunningHost; folder: string; runnerConfig: string },
): Promise<number> {
  const tokenFile = join(folder, 'runner.token');
  const create = context.children.start(
    launcher,
    ['token', 'create', '--runner', 'bench', '--state-dir', join(folder, 'serve')],
    { stderrFile: join(folder, 'runner.stderr') },
  );
  await writeFile(tokenFile, await firstLine(create, 'fairlead token create', context.signal), {
    mode: 0o600,
  });
  const child = context.children.start(
    launcher,
    [
      ...['runner', 'run', '--config', runnerConfig, '--server-url', gateway.url],
      ...['--token-file', tokenFile, '--state-dir', join(folder, 'runner')],
    ],
    { stderrFile: join(folder, 'runner.stderr') },
  );
  stack.defer(() => context.children.end(child, 'SIGTERM'));
  using client = await HostClient.of(gateway);
  await waitFor(() => everyPluginIsReady(client), {
    timeoutMs: 30_000,
    intervalMs: 100,
    what: 'the plugins of fairlead runner run',
  });
  return child.pid ?? 0;
}

async function everyPluginIsReady(client: HostClient): Promise<boolean> {
  const { runners } = (await client.plugin({ action: 'list' })) as { runners: readonly unknown[] };
  if (runners.length === 0) return false;
  const { plugins } = (await client.plugin({ action: 'list', runner: 'bench' })) as {
    plugins: readonly { readonly status: string }[];
  };
  return plugins.length === PROVIDERS.length && plugins.every(({ status }) => status === 'ready');
}
