import type { Json, JsonObject } from '@fairlead/base';
import type { Database } from '@fairlead/store';
import { waitFor } from '@fairlead/testing';
import {
  type Firing,
  type FiringEnd,
  RoutineEngine,
  type RoutineEngineOptions,
  type SlotFate,
} from '../../src/routines/routine-engine.ts';
import type { RoutinePlace } from '../../src/routines/routine-rows.ts';
import { newestSlots, type SlotRow } from '../../src/routines/slot-rows.ts';
import { OwedWrites } from '../../src/sessions/owed-writes.ts';
import { type HostFloor, hostFloor } from '../host-floor.ts';

export interface EngineFloor {
  readonly host: HostFloor;
  readonly agent: Database;
  readonly engine: RoutineEngine;
  /** What fired: routine and due minute. */
  readonly fired: readonly string[];
  readonly reports: readonly string[];
  put(routine: string, value: Json): Promise<void>;
  /** As `due state outcome/code`, oldest first. */
  slots(routine: string): Promise<readonly string[]>;
  row(routine: string): Promise<Json | undefined>;
  /** Moves the clock on, letting everything that is due be done. */
  pass(ms: number): Promise<void>;
  /** Closes the engine and starts another over the same database. */
  restart(options?: {
    readonly fate?: SlotFate;
    readonly boot?: string;
    readonly isPaused?: boolean;
  }): Promise<void>;
}

const STEP_MS = 60_000;

const time = (ms: number) => new Date(ms).toISOString().slice(11, 19);
export const hello = (trigger: JsonObject, more: JsonObject = {}): JsonObject => ({
  extension: 'greeter',
  name: 'greet',
  payload: { who: 'Ada' },
  trigger,
  ...more,
});

/** An engine over one agent's database at 2026-01-01T00:00:00Z. */
export async function engineFloor(
  t: { after(hook: () => unknown): void },
  options: {
    readonly host?: HostFloor;
    readonly fire?: (firing: Firing) => Promise<FiringEnd>;
    readonly heldBack?: () => string | undefined | Promise<string | undefined>;
    readonly boot?: string;
    readonly agent?: string;
  } = {},
): Promise<EngineFloor> {
  const host = options.host ?? (await hostFloor(t));
  const { peer, store, clock } = host;
  const agent = options.agent === undefined ? await peer.create('agent') : await peer.open(options.agent);
  const owed = new OwedWrites(clock);
  const fired: string[] = [];
  const reports: string[] = [];
  const optionsFor = (boot: string, fate?: SlotFate): RoutineEngineOptions => ({
    peer,
    store,
    clock,
    boot,
    zone: 'UTC',
    owed,
    placeOf: async (root): Promise<RoutinePlace | undefined> =>
      root === agent.root ? { kind: 'agent', database: agent } : undefined,
    fateOf: async () => fate ?? { state: 'unknown' },
    heldBack: async () => options.heldBack?.(),
    report: ({ code, routine }) => reports.push(`${code} ${routine}`),
    fire: async (firing) => {
      fired.push(`${firing.slot.routine} ${time(firing.slot.due)}`);
      return (await options.fire?.(firing)) ?? { state: 'fired', outcome: 'completed' };
    },
  });
  let engine = new RoutineEngine(optionsFor(options.boot ?? 'boot_1'));
  await engine.start();
  t.after(() => engine.close());
  return {
    host,
    agent,
    get engine() {
      return engine;
    },
    fired,
    reports,
    async put(routine, value) {
      await agent.latest('routines').put(routine, value);
      const { id } = (await agent.latest('routines').get(routine)) ?? { id: '' };
      await engine.changed(agent.root, 'agent', routine);
      await waitFor(() => id !== '', { what: 'the row' });
    },
    async slots(routine) {
      const rows = await newestSlots(store, { database: agent.root, routine }, 200);
      return [...rows].reverse().map(textOf);
    },
    async row(routine) {
      return (await agent.latest('routines').get(routine))?.value;
    },
    async pass(ms) {
      // In steps, as time passes: what is due in one of them is done before the next.
      for (let left = ms; left >= 0; left -= STEP_MS) {
        await clock.advance(Math.min(left, STEP_MS));
        await settle(engine);
      }
    },
    async restart({ fate, boot = 'boot_2', isPaused = false } = {}) {
      await engine.close();
      engine = new RoutineEngine(optionsFor(boot, fate), { isPaused });
      await engine.start();
      await settle(engine);
    },
  };
}

/** Until nothing is being done: writes of the store take turns of the loop. */
async function settle(engine: RoutineEngine): Promise<void> {
  await engine.idle();
}

function textOf({ due, state, outcome, code }: SlotRow): string {
  return [time(due), state, outcome, code].filter(Boolean).join(' ');
}
