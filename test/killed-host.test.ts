import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import type { JsonObject } from '@fairlead/base';
import {
  environmentHolds,
  type Hygiene,
  hygiene,
  isLive,
  processTable,
  temporaryFolder,
  waitFor,
} from '@fairlead/testing';

const PROGRAM = join(import.meta.dirname, 'killed-host', 'host.ts');

/** What the next start says of a session whose host was killed, and what it did since. */
interface Again {
  readonly found: readonly string[];
  readonly since: readonly string[];
  /** How often the tool had its effect. */
  readonly ran: number;
  readonly rows: readonly JsonObject[];
  readonly recovered: JsonObject;
}

const UNKNOWN =
  'tool_result outcome_unknown invocation_interrupted The host ended while this call ran. Whether it had its effect is unknown; it was not run again. Look before you repeat it.';
const BEGUN = ['message Do it.', 'ack'];
const APPROVED = [...BEGUN, 'approval_request', 'approval_decision approved test'];
const END = 'turn_end interrupted';
const DONE = 'tool_result completed stamped';

/** At each step: what the session says of the call, how often it ran, and how its row ended. */
const STEPS: Readonly<
  Record<string, { readonly found: readonly string[]; readonly ran: 0 | 1; readonly row: string | null }>
> = {
  judged: { found: [...BEGUN, END], ran: 0, row: null },
  asked: {
    found: [...BEGUN, 'approval_request', END, 'approval_decision cancelled restart'],
    ran: 0,
    row: null,
  },
  'before the intent': {
    found: [...APPROVED, END, 'approval_decision cancelled restart'],
    ran: 0,
    row: null,
  },
  intended: { found: [...APPROVED, 'tool_call', UNKNOWN, END], ran: 0, row: 'outcome_unknown' },
  'before the effect': { found: [...APPROVED, 'tool_call', UNKNOWN, END], ran: 0, row: 'outcome_unknown' },
  'after the effect': { found: [...APPROVED, 'tool_call', UNKNOWN, END], ran: 1, row: 'outcome_unknown' },
  'before the end': { found: [...APPROVED, 'tool_call', UNKNOWN, END], ran: 1, row: 'outcome_unknown' },
  settled: { found: [...APPROVED, 'tool_call', DONE, END], ran: 1, row: 'completed' },
  'before the result': { found: [...APPROVED, 'tool_call', DONE, END], ran: 1, row: 'completed' },
  told: { found: [...APPROVED, 'tool_call', DONE, END], ran: 1, row: 'completed' },
};

for (const [step, { found, ran, row }] of Object.entries(STEPS))
  test(`a host that is killed ${step === 'told' ? 'once the result stands' : `at the step “${step}”`} says the truth about the call, and runs it no second time`, async (t) => {
    const guard = hygiene(t);
    const folder = temporaryFolder(t);
    const host = start(folder, step);
    const [line] = (await once(createInterface({ input: host.stdout }), 'line')) as [string];
    assert.equal(line, `at ${step}`);
    await kill(host);
    await untilNothingRuns(guard);
    const again = await startAgain(folder);
    assert.deepEqual(again.found, found);
    assert.deepEqual(again.since, ['ack resumes', 'message went on', 'turn_end completed']);
    assert.equal(again.ran, ran);
    assert.deepEqual(
      again.rows.map(({ certainty, result_owed, text: kept }) => [certainty, result_owed, kept]),
      row === null ? [] : [[row, 0, null]],
    );
    // A third start finds nothing to mend.
    assert.deepEqual((await startAgain(folder)).recovered, {
      interruptedCalls: 0,
      results: 0,
      approvals: 0,
    });
  });

test('a host that is killed while a command runs leaves none of its processes, and does not run it again', async (t) => {
  const guard = hygiene(t);
  const folder = temporaryFolder(t);
  const host = start(folder, 'never', 'shell');
  await waitFor(() => existsSync(join(folder, 'here')), { what: 'the command to run', timeoutMs: 20_000 });
  await kill(host);
  await untilNothingRuns(guard);
  const again = await startAgain(folder);
  assert.deepEqual(again.found, [...APPROVED, 'tool_call', UNKNOWN, END]);
  assert.equal(again.ran, 1);
});

function start(folder: string, step: string, ...more: readonly string[]) {
  return spawn(process.execPath, [PROGRAM, folder, step, ...more], { stdio: ['ignore', 'pipe', 'inherit'] });
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

async function startAgain(folder: string): Promise<Again> {
  const host = start(folder, 'again');
  const [printed] = await Promise.all([text(host.stdout), once(host, 'close')]);
  return JSON.parse(printed) as Again;
}
