import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Bench, BenchContext } from '../harness/bench.ts';
import { interleave } from '../harness/interleave.ts';
import { addingRunner, bareCall } from '../harness/pinned-plugin.ts';
import { ratioRow, reportRow } from '../harness/row.ts';
import { TurnHost, type TurnHostOptions } from '../harness/turn-host.ts';

const EXTENSIONS = 5;
const TURNS_A_ROUND = 10;
const GIVEN = { a: 2, b: 3 };

/** What a pin may cost in a turn, against the turn with a local tool and the Runner’s own call one after the other. */
const PINNED = 1.2;

export const pinnedCall: Bench = {
  name: 'pinned',
  title: 'a turn with one call of a pinned tool of a native plugin, in a real child, and the scripted model',
  async run(context) {
    await using stack = new AsyncDisposableStack();
    const runner = await addingRunner(context, stack);
    const call = await bareCall(runner, GIVEN);
    const pinned = await host(
      context,
      'with-pin',
      { extensions: 0, pinned: { runner, given: GIVEN } },
      stack,
    );
    const local = await host(context, 'local', { extensions: EXTENSIONS }, stack);
    const measured = await interleave(
      [
        { unit: 'ms', round: async () => ({ [WITH_PIN]: await turnsOf(pinned) }) },
        {
          unit: 'ms',
          round: async () => {
            const calls: number[] = [];
            const turns = await turnsOf(local, async () => {
              calls.push(await msOf(call));
            });
            return {
              'a turn with a local tool': turns,
              'a Runner call': calls,
              [BOTH]: turns.map((ms, at) => ms + (calls[at] ?? 0)),
            };
          },
        },
      ],
      context.plan(30, 3, 5),
    );
    return {
      measurements: Object.values(measured),
      rows: [
        ratioRow(`${WITH_PIN}, against ${BOTH}`, measured[WITH_PIN], measured[BOTH], PINNED),
        reportRow('… the Runner call in it', measured['a Runner call']),
      ],
    };
  },
};

const WITH_PIN = 'a turn with a pinned tool';
const BOTH = 'a turn with a local tool and a Runner call';

async function host(
  context: BenchContext,
  name: string,
  options: Pick<TurnHostOptions, 'extensions' | 'pinned'>,
  stack: AsyncDisposableStack,
): Promise<TurnHost> {
  const folder = join(context.folder, name);
  await mkdir(folder);
  return await TurnHost.open({ folder, turns: TURNS_A_ROUND + 1, ...options }, stack);
}

/** Turns of a new session; its first is not counted, since it opens things. `after` follows each of the others. */
async function turnsOf(host: TurnHost, after: () => Promise<void> = async () => {}): Promise<number[]> {
  const session = await host.newSession();
  const turns: number[] = [];
  for (let count = 0; count <= TURNS_A_ROUND; count += 1) {
    await host.say(session);
    const taken = await msOf(() => host.turn(session));
    if (count === 0) continue;
    turns.push(taken);
    await after();
  }
  return turns;
}

async function msOf(work: () => Promise<void>): Promise<number> {
  const startedMs = performance.now();
  await work();
  return performance.now() - startedMs;
}
