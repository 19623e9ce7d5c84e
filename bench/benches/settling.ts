import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, systemClock } from '@fairlead/base';
import { linkLimits } from '@fairlead/protocol';
import { childPath } from '../harness/bare-provider.ts';
import type { Bench, BenchContext } from '../harness/bench.ts';
import { startBenchRunner } from '../harness/bench-runner.ts';
import { within } from '../harness/deadline.ts';
import { startHost } from '../harness/fairlead-host.ts';
import { interleave } from '../harness/interleave.ts';
import { JsonPoster } from '../harness/json-poster.ts';
import { LinkRelay } from '../harness/link-relay.ts';
import { writeRunnerConfig } from '../harness/provider-config.ts';
import { limitRow, reportRow } from '../harness/row.ts';
import { quantile } from '../harness/statistics.ts';

const LOSSES_A_ROUND = 20;
const PLUGINS = 8;
const LIMIT_MS = 30_000;

export const settling: Bench = {
  name: 'settling',
  title:
    'a call whose answer was lost with the link, from the registration of its Runner until its outcome is known',
  async run(context) {
    await using stack = new AsyncDisposableStack();
    const lose = await losing(context, stack);
    const round = async (calls: number) => {
      const samples: number[] = [];
      for (let loss = 0; loss < LOSSES_A_ROUND; loss += 1) samples.push(await lose(calls));
      return samples;
    };
    const measured = await interleave(
      [
        {
          unit: 'ms',
          round: async () => {
            const samples = await round(1);
            return { 'one call': samples, 'one call, p95': [quantile(samples, 0.95)] };
          },
        },
        {
          unit: 'ms',
          round: async () => {
            const samples = await round(PLUGINS);
            return { 'eight calls': samples, 'eight calls, p95': [quantile(samples, 0.95)] };
          },
        },
      ],
      context.plan(12, 2, 2),
    );
    return {
      measurements: Object.values(measured),
      rows: [
        limitRow('settled after a reconnect, p95', measured['one call, p95'], 100),
        limitRow('… eight calls lost at once, until the last, p95', measured['eight calls, p95'], 100),
        reportRow('… the middle of them', measured['one call']),
      ],
    };
  },
};

type Envelope = {
  readonly dispatch_certainty: string;
  readonly output: Readonly<Record<string, unknown>> | null;
  readonly call?: string;
};

/** Loses the answers of so many calls, each of another plugin, and gives the time until the last of them is settled. */
async function losing(
  context: BenchContext,
  stack: AsyncDisposableStack,
): Promise<(calls: number) => Promise<number>> {
  const host = await startHost(context, { stateDirectory: join(context.folder, 'state') });
  stack.defer(() => host.stop());
  const authorization = `Bearer ${(await readFile(host.tokenFile, 'utf8')).trim()}`;
  const posters = Array.from({ length: PLUGINS }, () =>
    stack.use(new JsonPoster(host.url, { authorization })),
  );
  const made = await posters[0]?.post('/api/admin/tokens', { runner: 'bench' });
  const { secret } = (made as { readonly output: { readonly secret: string } }).output;
  const relay = stack.use(await LinkRelay.listen(host.url));
  const configPath = join(context.folder, 'runner.toml');
  const ids = Array.from({ length: PLUGINS }, (_, index) => `add-${index}`);
  const args = [childPath('add-plugin.mjs')];
  const providers = ids.map((id) => ({ id, args }));
  await writeRunnerConfig(configPath, { runner: 'bench', cwd: context.folder, providers });
  const stateDirectory = join(context.folder, 'runner');
  await mkdir(stateDirectory, { mode: 0o700 });
  let registered = Promise.withResolvers<number>();
  const runner = stack.use(
    await startBenchRunner({
      configPath,
      stateDirectory,
      gatewayUrl: relay.url,
      token: secret,
      clock: impatient(systemClock()),
      log: (_level, event) => {
        if (event === 'link.registered') registered.resolve(performance.now());
      },
    }),
  );
  await within(
    Promise.all([runner.registered, runner.settled]),
    LIMIT_MS,
    'starting the Runner',
    context.signal,
  );
  const ask = async (index: number, params: object): Promise<Envelope> =>
    (await posters[index]?.post('/api/tools/call', { tool: 'plugin_tool', params })) as Envelope;
  const bindings = await Promise.all(
    ids.map(async (plugin, index) => {
      const described = await ask(index, { action: 'describe', runner: 'bench', plugin, tool: 'add' });
      return String(described.output?.['binding']);
    }),
  );
  return async (calls) => {
    registered = Promise.withResolvers();
    relay.lose(calls);
    const ends = bindings.slice(0, calls).map(async (binding, index) => {
      const lost = await ask(index, { action: 'call', binding, arguments: { a: index, b: 1 } });
      if (lost.dispatch_certainty !== 'outcome_unknown')
        throw new Error(`nothing was lost: ${JSON.stringify(lost)}`);
      const fromMs = await within(registered.promise, LIMIT_MS, 'the reconnect', context.signal);
      for (;;) {
        const { output } = await ask(index, { action: 'outcome', call: lost.call });
        if (output?.['settled'] !== true) continue;
        const atMs = performance.now() - fromMs;
        const sum = (output['result'] as { readonly structuredContent: { readonly sum: number } } | undefined)
          ?.structuredContent.sum;
        if (output['certainty'] !== 'completed' || sum !== index + 1)
          throw new Error(`settled wrongly: ${JSON.stringify(output)}`);
        return atMs;
      }
    });
    return Math.max(...(await Promise.all(ends)));
  };
}

/** Reconnecting is not what is measured: it does not wait. Neither do pings, which cost next to nothing. */
function impatient(clock: Clock): Clock {
  return {
    ...clock,
    setTimer: (delayMs, fire, options) =>
      clock.setTimer(linkLimits.reconnectDelaysMs.includes(delayMs) ? 10 : delayMs, fire, options),
  };
}
