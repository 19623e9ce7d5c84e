import { systemClock } from '@fairlead/base';
import { defineExtension } from '@fairlead/extension';
import { BudgetWheel, HookDispatcher, type HookTarget, ThreadCarrier } from '@fairlead/extension/runtime';
import type { Bench } from '../harness/bench.ts';
import { interleave } from '../harness/interleave.ts';
import { ratioRow } from '../harness/row.ts';

const HANDLERS = 10;
const SYNC_A_ROUND = 100_000;
const ASYNC_A_ROUND = 30_000;

type Event = { readonly args: { readonly [name: string]: unknown } };

export const hookDispatch: Bench = {
  name: 'hooks',
  title: `one tool call judged by ${HANDLERS} gates, budgets armed, in the host's thread`,
  async run(context) {
    await using stack = new AsyncDisposableStack();
    const wheel = new BudgetWheel(systemClock());
    stack.defer(() => wheel.close());
    const hooks = new HookDispatcher({
      wheel,
      report({ reason }) {
        throw new Error(reason);
      },
    });
    const sum = { value: 0 };
    const handlers = Array.from({ length: HANDLERS }, (_, index) => ({
      now: (event: Event): void => {
        sum.value += Number(event.args['n']) + index;
      },
      later: async (event: Event): Promise<void> => {
        sum.value += Number(event.args['n']) + index;
      },
    }));
    const at = await targets(
      handlers.map(({ now }) => now),
      stack,
    );
    const after = await targets(
      handlers.map(({ later }) => later),
      stack,
    );
    const args = Object.freeze({ n: 1 });
    const parse = (value: unknown) => ({ ok: true, value }) as never;
    const owned = handlers.map(({ now, later }, index) => ({ owner: `gate-${index}`, now, later }));
    const active = new Set(owned.map(({ owner }) => owner));
    const event: Event = { args };

    const bareNow = (): void => {
      for (const { owner, now } of owned) {
        if (!active.has(owner)) continue;
        try {
          if (now(event) !== undefined) return;
        } catch {
          // One that fails must not stop the others.
        }
      }
    };
    const bareLater = async (): Promise<void> => {
      for (const { owner, later } of owned) {
        if (!active.has(owner)) continue;
        try {
          if ((await later(event)) !== undefined) return;
        } catch {
          // The same.
        }
      }
    };
    const measured = await interleave(
      [
        { unit: 'µs', round: async () => ({ 'bare loop': timedNow(bareNow) }) },
        {
          unit: 'µs',
          round: async () => ({
            gates: timedNow(() => void hooks.toolCall(at, { tool: 't', owner: 'o', args }, parse)),
          }),
        },
        { unit: 'µs', round: async () => ({ 'bare loop, awaited': await timedLater(bareLater) }) },
        {
          unit: 'µs',
          round: async () => ({
            'gates, awaited': await timedLater(() =>
              hooks.toolCall(after, { tool: 't', owner: 'o', args }, parse),
            ),
          }),
        },
      ],
      context.plan(40, 4, 5),
    );
    return {
      measurements: Object.values(measured),
      rows: [
        ratioRow('synchronous handlers against a bare loop', measured['gates'], measured['bare loop'], 4),
        ratioRow(
          'asynchronous handlers against a bare loop',
          measured['gates, awaited'],
          measured['bare loop, awaited'],
          1.5,
        ),
      ],
    };
  },
};

/** An extension for each handler, as a live set holds them. */
async function targets(
  handlers: readonly ((event: Event) => unknown)[],
  stack: AsyncDisposableStack,
): Promise<readonly HookTarget[]> {
  const context = Object.freeze({
    agent: { id: 'agt_1', name: 'fairlead' },
    session: 'ses_1',
    settings: {},
    caps: {},
  });
  return Promise.all(
    handlers.map(async (toolCall, index) => {
      const owner = `gate-${index}`;
      const extension = defineExtension({
        name: owner,
        version: '1.0.0',
        on: { toolCall: toolCall as () => void },
      });
      const carrier = new ThreadCarrier(extension, {
        host: { ask: () => null, log: () => {}, changed: () => {} },
      });
      stack.defer(() => carrier.end());
      await carrier.open({ instance: owner, kind: 'global', key: '', settings: {} });
      return { owner, endpoint: carrier.hook(owner, 'tool_call'), context };
    }),
  );
}

/** Microseconds of one run, over many. In CPU time: nothing here waits for anything, and a busy neighbour must not count. */
function timedNow(run: () => void): readonly number[] {
  const before = process.cpuUsage();
  for (let count = 0; count < SYNC_A_ROUND; count += 1) run();
  return [process.cpuUsage(before).user / SYNC_A_ROUND];
}

async function timedLater(run: () => unknown): Promise<readonly number[]> {
  const before = process.cpuUsage();
  for (let count = 0; count < ASYNC_A_ROUND; count += 1) await run();
  return [process.cpuUsage(before).user / ASYNC_A_ROUND];
}
