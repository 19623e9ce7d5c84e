import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import {
  environmentHolds,
  type Hygiene,
  hygiene,
  isLive,
  processTable,
  temporaryFolder,
  waitFor,
} from '@fairlead/testing';

const PROGRAM = join(import.meta.dirname, 'killed-schedule', 'host.ts');

/** What the next start says of a schedule whose host was killed. */
interface Again {
  readonly slots: readonly string[];
  /** Directives and ends of turns, in the sessions that it has to do with. */
  readonly asked: readonly string[];
  /** How often the tool had its effect. */
  readonly ran: number;
  readonly listed: string;
  readonly history: string;
}

const FIRED = '01:00 fired completed';
const UNKNOWN = '01:00 unknown turn_interrupted';
const DONE = ['directive', 'turn_end completed'];
const CUT = ['directive', 'turn_end interrupted'];

/** At each step: how the slot ends after the next start, what stands in the session, and how often the task had its effect. */
const STEPS: Readonly<
  Record<string, { readonly slot: string; readonly asked: readonly string[]; readonly ran: 0 | 1 }>
> = {
  'before the claim': { slot: FIRED, asked: DONE, ran: 1 },
  'after the claim': { slot: FIRED, asked: DONE, ran: 1 },
  'before the directive': { slot: FIRED, asked: DONE, ran: 1 },
  'after the directive': { slot: FIRED, asked: DONE, ran: 1 },
  'before the ack': { slot: FIRED, asked: DONE, ran: 1 },
  'after the ack': { slot: UNKNOWN, asked: CUT, ran: 0 },
  'before the effect': { slot: UNKNOWN, asked: CUT, ran: 0 },
  'after the effect': { slot: UNKNOWN, asked: CUT, ran: 1 },
  'before the turn’s end': { slot: UNKNOWN, asked: CUT, ran: 1 },
  'after the turn’s end': { slot: FIRED, asked: DONE, ran: 1 },
  'before the slot’s end': { slot: FIRED, asked: DONE, ran: 1 },
  'after the slot’s end': { slot: FIRED, asked: DONE, ran: 1 },
};

/** A one-shot goes another way where its slot ends: its row goes with it. */
const KINDS = {
  cron: { what: 'an hourly schedule in sessions of its own', steps: Object.keys(STEPS) },
  at: {
    what: 'a one-shot that comes back to its session',
    steps: Object.keys(STEPS).filter((step) => step.startsWith('after') || step.includes('slot')),
  },
} as const;

for (const [kind, { what, steps }] of Object.entries(KINDS))
  for (const [step, { slot, asked, ran }] of Object.entries(STEPS).filter(([one]) => steps.includes(one)))
    test(`a host that is killed ${step} of a slot, of ${what}: fired once, or unknown and shown`, async (t) => {
      const guard = hygiene(t);
      const folder = temporaryFolder(t);
      const host = start(folder, step, kind);
      const [line] = (await once(createInterface({ input: host.stdout }), 'line')) as [string];
      assert.equal(line, `at ${step}`);
      await kill(host);
      await untilNothingRuns(guard);
      const again = await startAgain(folder, kind);
      assert.deepEqual(again.slots, [slot]);
      assert.deepEqual(again.asked, asked);
      assert.equal(again.ran, ran);
      assert.match(again.history, new RegExp(`^2026-01-01T01:00:00Z ${slot.slice(6)}`));
      // A one-shot's row goes with its slot; what comes back is due again, and its failure is counted.
      const failures = slot === UNKNOWN ? '; failed 1 in a row \\(turn_interrupted\\)' : '';
      const next = new RegExp(`; next 2026-01-01T02:00:00Z; fired 1${failures} — Stamp it\\.$`);
      if (kind === 'at') assert.equal(again.listed, 'ann has nothing planned.');
      else assert.match(again.listed, next);
      // A third start finds nothing to do; it is looked at where the second had something to mend.
      if (slot === UNKNOWN || step.includes('slot')) assert.deepEqual(await startAgain(folder, kind), again);
    });

function start(folder: string, step: string, kind: string) {
  return spawn(process.execPath, [PROGRAM, folder, step, kind], { stdio: ['ignore', 'pipe', 'inherit'] });
}

/** Whatever carries the mark of this test in its environment. */
async function untilNothingRuns({ environmentEntry }: Hygiene): Promise<void> {
  const runs = () => processTable().some((row) => isLive(row) && environmentHolds(row.pid, environmentEntry));
  await waitFor(() => !runs(), { what: 'the processes of the host to be gone' });
}

async function kill(host: ReturnType<typeof start>): Promise<void> {
  const gone = once(host, 'close');
  host.kill('SIGKILL');
  await gone;
}

async function startAgain(folder: string, kind: string): Promise<Again> {
  const host = start(folder, 'again', kind);
  const [printed] = await Promise.all([text(host.stdout), once(host, 'close')]);
  return JSON.parse(printed) as Again;
}
