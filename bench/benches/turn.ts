import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Bench, BenchContext } from '../harness/bench.ts';
import { interleave } from '../harness/interleave.ts';
import { limitRow, ratioRow, reportRow } from '../harness/row.ts';
import { TurnHost, type TurnHostOptions } from '../harness/turn-host.ts';

const MANY = 50;
const FEW = 5;
const TURNS_A_ROUND = 10;
const PIECES = 200;

/** What a turn may cost beyond its commits. */
const OVERHEAD_MS = 5;
/** What ten times the extensions may add to that. */
const MANY_OVER_FEW = 1.3;
/** What showing a piece of a reply may cost. */
const PIECE_MS = 1;

export const turn: Bench = {
  name: 'turn',
  title: `a turn with one call of a local tool and the scripted model, ${MANY} extensions active, each with tools, hooks, a prompt block and a tail`,
  async run(context) {
    await using stack = new AsyncDisposableStack();
    const many = await host(context, 'many', { extensions: MANY }, stack);
    const few = await host(context, 'few', { extensions: FEW }, stack);
    const streamed = await host(context, 'streamed', { extensions: FEW, pieces: PIECES }, stack);
    const measured = await interleave(
      [
        {
          unit: 'ms',
          round: async () => {
            const { turns, commits, overheads } = await turnsBeside(many);
            return { 'a turn': turns, 'its five commits': commits, [OVERHEAD_OF_MANY]: overheads };
          },
        },
        { unit: 'ms', round: async () => ({ [OVERHEAD_OF_FEW]: (await turnsBeside(few)).overheads }) },
        { unit: 'ms', round: async () => ({ 'a piece': await piecesOf(streamed) }) },
      ],
      context.plan(30, 3, 5),
    );
    return {
      measurements: Object.values(measured),
      rows: [
        reportRow(
          `a turn with ${MANY} extensions, against its five commits`,
          measured['a turn'],
          measured['its five commits'],
        ),
        limitRow('what it costs beyond the commits beside it', measured[OVERHEAD_OF_MANY], OVERHEAD_MS),
        ratioRow(
          `the same, against a turn with ${FEW} extensions`,
          measured[OVERHEAD_OF_MANY],
          measured[OVERHEAD_OF_FEW],
          MANY_OVER_FEW,
        ),
        limitRow(
          'a piece of its last text, from the one before it, to who listens',
          measured['a piece'],
          PIECE_MS,
        ),
      ],
    };
  },
};

const OVERHEAD_OF_MANY = `beyond its commits, ${MANY} extensions`;
const OVERHEAD_OF_FEW = `beyond its commits, ${FEW} extensions`;

async function host(
  context: BenchContext,
  name: string,
  options: Pick<TurnHostOptions, 'extensions' | 'pieces'>,
  stack: AsyncDisposableStack,
): Promise<TurnHost> {
  const folder = join(context.folder, name);
  await mkdir(folder);
  return await TurnHost.open({ folder, turns: TURNS_A_ROUND + 1, ...options }, stack);
}

/** Turns of a new session, and beside each what it writes, in another one. The first of each is not counted: it opens things. */
async function turnsBeside(host: TurnHost) {
  const session = await host.newSession();
  const bare = await host.newSession();
  const turns: number[] = [];
  const commits: number[] = [];
  for (let count = 0; count <= TURNS_A_ROUND; count += 1) {
    await host.say(session);
    await host.say(bare);
    const written = await msOf(() => host.fiveCommits(bare));
    const taken = await msOf(() => host.turn(session));
    if (count === 0) continue;
    commits.push(written);
    turns.push(taken);
  }
  return { turns, commits, overheads: turns.map((ms, at) => ms - (commits[at] ?? 0)) };
}

/** Between two pieces that somebody hears, one after the other: all that the script and the host do for one. */
async function piecesOf(host: TurnHost): Promise<readonly number[]> {
  const session = await host.newSession();
  const heard: number[] = [];
  const listening = await host.floor.events.subscribe(session, {}, (event) => {
    if (event.kind === 'delta') heard.push(performance.now());
    return true;
  });
  const pieces: number[] = [];
  for (let count = 0; count <= TURNS_A_ROUND; count += 1) {
    await host.say(session);
    await host.turn(session);
    const turn = heard.splice(0);
    if (count > 0) pieces.push(...turn.slice(1).map((ms, at) => ms - (turn[at] ?? ms)));
  }
  listening.close();
  if (pieces.length === 0) throw new Error('nobody heard anything');
  return pieces;
}

async function msOf(work: () => Promise<void>): Promise<number> {
  const startedMs = performance.now();
  await work();
  return performance.now() - startedMs;
}
