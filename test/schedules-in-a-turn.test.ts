import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { type JsonObject, systemRandom } from '@fairlead/base';
import { type AgentHost, type Entry, readEntry } from '@fairlead/host';
import { hygiene, type ManualClock, manualClock, temporaryFolder } from '@fairlead/testing';
import { loadHostConfig } from '../packages/cli/src/host/host-config.ts';
import { openHostFloor } from '../packages/cli/src/host/host-floor.ts';

type Step = { readonly text?: string; readonly calls?: readonly JsonObject[]; readonly usage?: JsonObject };

const CONFIGURATION = `
model = "local/tiny"

[[backends]]
name = "local"
type = "scripted"
file = "script.json"

[[backends.models]]
name = "tiny"

[[agents]]
name = "scout"

[[agents]]
name = "mate"
`;
const HOUR = 3_600_000;
const BY = {
  id: 'person:tok_ada',
  scopes: ['session:read', 'session:write', 'session:approve'],
  name: 'Ada',
};

/** Keys of the top of the file, then tables. */
interface Told {
  readonly turns: readonly (readonly Step[])[];
  readonly more?: string;
}

interface Planned {
  readonly agents: AgentHost;
  readonly session: string;
  readonly clock: ManualClock;
  readonly logged: readonly string[];
  /** Ada asks; answers what each call came to. */
  ask(): Promise<readonly string[]>;
  type(line: string): Promise<string>;
  pass(ms: number): Promise<void>;
  entries(session: string): Promise<readonly string[]>;
  sessions(): Promise<readonly string[]>;
  slots(id: string): Promise<readonly string[]>;
}

/** A host with all that comes with it, on a clock that stands at 2026-01-01T00:00:00Z, whose agents follow one script. */
async function host(t: TestContext, told: Told): Promise<Planned> {
  hygiene(t);
  const folder = temporaryFolder(t);
  const { opened } = await start(t, folder, told);
  return opened;
}

async function start(t: TestContext, folder: string, { turns, more = '' }: Told, clock = manualClock()) {
  const stateDirectory = join(folder, 'state');
  const workspace = join(folder, 'work');
  for (const made of [stateDirectory, workspace]) mkdirSync(made, { recursive: true, mode: 0o700 });
  const scripts = { default: turns.map((steps) => ({ steps })) };
  writeFileSync(
    join(stateDirectory, 'script.json'),
    JSON.stringify({ format: 'fairlead-script-v1', scripts }),
  );
  writeFileSync(join(stateDirectory, 'fairlead.toml'), CONFIGURATION + more);
  const context = {
    ...{ cwd: folder, home: join(folder, 'home'), cloneRoot: folder, clock },
    env: { PATH: process.env['PATH'] ?? '' },
    platform: process.platform,
    random: systemRandom(),
    stdout: () => {},
    stderr: () => {},
    readStdin: async () => Buffer.alloc(0),
    streams: () => ({ input: new PassThrough(), output: new PassThrough() }),
  };
  const logged: string[] = [];
  const loaded = await loadHostConfig(context, stateDirectory, {});
  const log = (level: string, event: string, fields: object) =>
    void logged.push(`${level} ${event} ${JSON.stringify(fields)}`);
  const floor = await openHostFloor({ context, stateDirectory, loaded, log: log as never });
  let isClosed = false;
  const close = async () => {
    if (!isClosed) await floor[Symbol.asyncDispose]();
    isClosed = true;
  };
  t.after(close);
  const { agents, store } = floor;
  const session = await agents.newSession({ agents: ['scout'], workspace });
  async function entriesOf(of: string): Promise<readonly Entry[]> {
    const found: Entry[] = [];
    for await (const { id, value } of (await agents.sessions.open(of)).table('entries').scan()) {
      const entry = readEntry(id, value);
      if (entry !== undefined && entry.type !== 'unknown') found.push(entry);
    }
    return found;
  }
  const opened: Planned = {
    ...{ agents, session, clock, logged },
    async ask() {
      const from = { kind: 'person', id: 'tok_ada', name: 'Ada' } as const;
      await agents.runOnce({ session, text: 'Plan.', from, approve: [] });
      return (await entriesOf(session)).flatMap((entry) =>
        entry.type === 'tool_result' ? [entry.text] : [],
      );
    },
    async type(line) {
      const answer = await agents.command({ session, line, by: BY });
      return 'text' in answer ? answer.text : `${answer.error.code}: ${answer.error.message}`;
    },
    async pass(ms) {
      for (let left = ms; left > 0; left -= 60_000) {
        await clock.advance(Math.min(left, 60_000));
        await agents.idle();
      }
    },
    entries: async (of) => (await entriesOf(of)).map(inFewWords),
    async sessions() {
      const rows = await store.read<{ session: string }>(
        'SELECT session FROM slots WHERE session IS NOT NULL ORDER BY seq',
        [],
      );
      return rows.map((row) => row.session);
    },
    async slots(id) {
      const rows = await store.read<Record<'due' | 'state' | 'outcome' | 'code', string>>(
        'SELECT due, state, outcome, code FROM slots WHERE routine = ? ORDER BY due',
        [`schedule:${id}`],
      );
      return rows.map(({ due, state, outcome, code }) =>
        [new Date(due).toISOString().slice(11, 19), state, outcome, code].filter(Boolean).join(' '),
      );
    },
  };
  return { opened, close };
}

function inFewWords(entry: Entry): string {
  switch (entry.type) {
    case 'message':
    case 'directive':
      return `${entry.type}: ${entry.text}`;
    case 'tool_result':
      return `${entry.certainty} ${entry.code ?? ''}`.trim();
    case 'turn_end':
      return `end ${entry.status}`;
    default:
      return entry.type;
  }
}

const call = (tool: string, args: JsonObject): Step => ({ calls: [{ tool, arguments: args }] });
const say = (text: string): readonly Step[] => [{ text }];
const add = (id: string, more: JsonObject = {}): Step =>
  call('schedule_add', { id, cron: '0 * * * *', task: 'Look around.', ...more });

test('an agent plans its own wake-up without anybody’s approval, is told of it when it is due, and answers in the same session', async (t) => {
  const h = await host(t, {
    turns: [
      [call('schedule_once', { after_seconds: 90, task: 'Look at the build.' }), { text: 'Later.' }],
      say('The build is green.'),
    ],
  });
  const [said = ''] = await h.ask();
  const id = `wakeup-${Date.UTC(2026, 0, 1, 0, 1, 30)}`;
  assert.equal(said, `You will be woken at 2026-01-01T00:01:30Z (${id}).`);
  await h.pass(89_000);
  assert.deepEqual(await h.slots(id), []);
  await h.pass(2000);
  assert.deepEqual(await h.slots(id), ['00:01:30 fired completed']);
  const told = await h.entries(h.session);
  assert.deepEqual(told.slice(told.indexOf('directive: Look at the build.')), [
    ...['directive: Look at the build.', 'ack', 'message: The build is green.', 'end completed'],
  ]);
  // Its row went with its slot.
  assert.equal(await h.type('/schedule'), 'scout has nothing planned.');
});

test('what the tools refuse comes to the model with its code, and nothing is planned', async (t) => {
  const h = await host(t, {
    turns: [
      [
        add('a'),
        add('a'),
        add('b', { cron: 'every day' }),
        add('b', { cron: '99 * * * *' }),
        add('b', { zone: 'Atlantis/Capital' }),
        add('b', { agent: 'nobody' }),
        add('b c'),
        add('b', { task: '  ' }),
        add('b', { cron: '* * * * * *' }),
        call('schedule_modify', { id: 'a' }),
        call('schedule_modify', { id: 'zz', enabled: false }),
        call('schedule_remove', { id: 'zz' }),
        call('schedule_once', { after_seconds: 5, task: 'Go.' }),
        call('schedule_once', { after_seconds: 60, task: '' }),
        add('b'),
        add('c'),
        call('schedule_remove', { id: 'b' }),
        call('schedule_modify', { id: 'a', task: 'Look up.', max_fires: 1 }),
        call('schedule_list', {}),
        { text: 'Done.' },
      ],
    ],
    more: '\n[limits]\nschedules_per_agent = 2\n',
  });
  const heads = (await h.ask()).map((text) => text.split(/[:.] /)[0]);
  assert.deepEqual(heads, [
    'Planned',
    'schedule_exists',
    ...['schedule_invalid', 'schedule_invalid', 'schedule_invalid'],
    'schedule_agent_unknown',
    ...['schedule_invalid', 'schedule_invalid', 'schedule_too_often'],
    ...['schedule_unchanged', 'schedule_unknown', 'schedule_unknown'],
    ...['tool_arguments_invalid', 'schedule_invalid'],
    'Planned',
    'schedule_limit',
    'Taken away',
    'Changed',
    'a',
  ]);
  assert.match(
    await h.type('/schedule'),
    /^a: cron 0 \* \* \* \* \(.+\); in its session; next .*; fired 0 of 1 — Look up\.$/,
  );
});

test('an agent out of the operator’s list is answered word for word like one that there is not, to tools and to the command', async (t) => {
  const h = await host(t, {
    turns: [[add('a', { agent: 'mate' }), add('a', { agent: 'ghost' }), add('a'), { text: 'Done.' }]],
    more: '\n[policy]\nagent_state = { schedule = ["scout"] }\n',
  });
  const [mate = '', ghost = '', own = ''] = await h.ask();
  assert.match(mate, /^schedule_agent_unknown: /);
  assert.equal(mate.replace('mate', 'NAME'), ghost.replace('ghost', 'NAME'));
  assert.match(own, /^Planned\./);
  const lines = await Promise.all(['mate', 'ghost'].map((name) => h.type(`/schedule list agent:${name}`)));
  assert.match(lines[0] ?? '', /No agent is here/);
  assert.equal(lines[0]?.replace('mate', 'NAME'), lines[1]?.replace('ghost', 'NAME'));
});

test('where the operator lists nobody, an agent plans not even for itself', async (t) => {
  const h = await host(t, {
    turns: [[add('a'), call('schedule_once', { after_seconds: 60, task: 'Go.' }), { text: 'Done.' }]],
    more: '\n[policy]\nagent_state = { schedule = [] }\n',
  });
  for (const text of await h.ask()) assert.match(text, /^schedule_agent_unknown: /);
});

test('a call that needs an approval is refused in a turn that nobody watches, and runs where the operator approved it beforehand (elsewhere no schedule could ever do such a thing)', async (t) => {
  const shell = call('write_file', { path: 'note.txt', content: 'x' });
  for (const [more, end] of [
    ['', 'not_started approval_unattended'],
    ['\n[policy]\nauto_approve = ["write_file"]\n', 'completed'],
  ] as const) {
    const h = await host(t, {
      turns: [[shell, { text: 'Done.' }]],
      more,
    });
    await h.type('/schedule add a "0 * * * *" --fresh Look around.');
    await h.pass(HOUR);
    assert.deepEqual(await h.slots('a'), ['01:00:00 fired completed']);
    const [fresh = ''] = await h.sessions();
    assert.ok((await h.entries(fresh)).includes(end), JSON.stringify(await h.entries(fresh)));
  }
});

test('where somebody watches the session, a schedule’s turn may ask, and goes on when it is approved', async (t) => {
  const h = await host(t, {
    turns: [[call('write_file', { path: 'note.txt', content: 'x' }), { text: 'Done.' }]],
  });
  await h.type('/schedule add a "0 * * * *" Look around');
  const { agents } = h;
  await agents.events.subscribe(h.session, {}, (event) => {
    if (event.kind === 'approval' && event.state === 'open')
      void agents.approvals.decide(event.approval, { decision: 'approve', by: BY, via: 'test' });
    return true;
  });
  await h.pass(HOUR);
  assert.deepEqual(await h.slots('a'), ['01:00:00 fired completed']);
  assert.ok((await h.entries(h.session)).includes('completed'));
});

test('an agent that has nothing to say writes no message, and its slot is completed', async (t) => {
  const h = await host(t, { turns: [say('')] });
  await h.type('/schedule add a "0 * * * *" --fresh Look around.');
  await h.pass(HOUR);
  assert.deepEqual(await h.slots('a'), ['01:00:00 fired completed']);
  const [fresh = ''] = await h.sessions();
  assert.deepEqual(await h.entries(fresh), ['directive: Look around.', 'ack', 'end silent']);
});

test('the task stands in the session’s log, where everybody can read why the agent spoke (elsewhere it was never stored)', async (t) => {
  const h = await host(t, { turns: [[add('a'), { text: 'Planned.' }], say('All is well.')] });
  await h.ask();
  await h.pass(HOUR);
  assert.deepEqual((await h.entries(h.session)).slice(-4), [
    ...['directive: Look around.', 'ack', 'message: All is well.', 'end completed'],
  ]);
});

test('/schedule plans for a person, per agent, and says with its code what is refused', async (t) => {
  const h = await host(t, { turns: [] });
  assert.match(await h.type('/schedule add a "0 9 * * 1-5" Look at the calendar'), /— Look at the calendar$/);
  assert.match(
    await h.type('/schedule add agent:mate zone:Asia/Tokyo a "0 9 * * *" --fresh Rest'),
    /Asia\/Tokyo/,
  );
  assert.match(await h.type('/schedule'), /^a: .* — Look at the calendar$/);
  assert.match(await h.type('/schedule list agent:mate'), /^a: .* — Rest$/);
  for (const [line, code] of [
    ['/schedule add a "0 9 * * *" Again', 'schedule_exists'],
    ['/schedule add b "0 9 * *" Go', 'schedule_invalid'],
    ['/schedule add b "every soon" Go', 'schedule_invalid'],
    ['/schedule add b "at noon" Go', 'schedule_time_invalid'],
    ['/schedule add b "every 5" Go', 'schedule_too_often'],
    ['/schedule add', 'schedule_line_incomplete'],
    ['/schedule on zz', 'schedule_unknown'],
    ['/schedule remove zz', 'schedule_unknown'],
  ] as const)
    assert.match(await h.type(line), new RegExp(`^${code}: `), line);
  assert.match(await h.type('/schedule off a'), /; off; /);
  assert.match(await h.type('/schedule on a'), /; next /);
  assert.equal(await h.type('/schedule history a'), 'a was never due.');
  assert.equal(await h.type('/schedule remove a'), 'Taken away: a');
  assert.equal(await h.type('/schedule'), 'scout has nothing planned.');
});

test('a ceiling that the day has reached holds schedules back, and the slot says so', async (t) => {
  const used = { input: 100_000, cached: 0, written: 0, output: 0, reasoning: 0 };
  const h = await host(t, {
    turns: [[{ text: 'Yes.', usage: used }]],
    more: '\n[limits]\nday_tokens = 100_000\nzone = "UTC"\n',
  });
  await h.type('/schedule add a "0 12 * * *" --fresh Look around');
  // The turn is let through to its end, and uses the day up.
  await h.ask();
  await h.pass(12 * HOUR);
  assert.deepEqual(await h.slots('a'), ['12:00:00 skipped ceiling_reached']);
  // Another day has a ceiling of its own, and what was held back was no failure.
  await h.pass(24 * HOUR);
  assert.deepEqual((await h.slots('a')).slice(1), ['12:00:00 fired completed']);
});

test('a schedule of fairlead.toml fires; one that was taken away stays away, one that was changed stays changed', async (t) => {
  hygiene(t);
  const folder = temporaryFolder(t);
  const clock = manualClock();
  const more = ['a', 'b']
    .map(
      (id) =>
        `\n[[schedules]]\nagent = "Scout"\nid = "${id}"\ncron = "0 * * * *"\nzone = "UTC"\ntask = "Look."\n`,
    )
    .join('');
  const first = await start(t, folder, { turns: [say('One.'), say('Two.')], more }, clock);
  await first.opened.pass(HOUR);
  assert.deepEqual(await first.opened.slots('a'), ['01:00:00 fired completed']);
  assert.deepEqual(await first.opened.slots('b'), ['01:00:00 fired completed']);
  await first.opened.type('/schedule remove a');
  await first.opened.type('/schedule off b');
  await first.close();
  const again = await start(t, folder, { turns: [], more }, clock);
  assert.match(await again.opened.type('/schedule'), /^b: .*; off; fired 1 — Look\.$/);
  await again.opened.pass(HOUR);
  assert.deepEqual(await again.opened.slots('a'), ['01:00:00 fired completed']);
});

test('a schedule of fairlead.toml for nobody who is here is told in the log, and stops nothing', async (t) => {
  const more = '\n[[schedules]]\nagent = "ghost"\nid = "a"\nevery_secs = 60\ntask = "Look."\n';
  const h = await host(t, { turns: [], more });
  assert.match(
    h.logged.join('\n'),
    /warn host\.report \{"code":"agent_unknown","message":"A schedule of fairlead\.toml is for ghost/,
  );
});

test('turning schedule off takes its tools and its command away and leaves what was planned, which fires whatever is active', async (t) => {
  const h = await host(t, { turns: [[{ text: 'One.' }], [{ text: 'Two.' }]] });
  await h.type('/schedule add a "0 * * * *" Look around');
  assert.match(await h.type('/extensions remove schedule'), /schedule/);
  assert.match(await h.type('/extensions remove agent_schedule'), /agent_schedule/);
  assert.match(
    await h.type('/schedule'),
    /^(unknown_command|command_inactive|tool_inactive|extension_inactive): /,
  );
  await h.pass(HOUR);
  assert.deepEqual(await h.slots('a'), ['01:00:00 fired completed']);
  assert.match(await h.type('/extensions add schedule'), /schedule/);
  assert.match(await h.type('/schedule'), /^a: .*; fired 1 — Look around$/);
});

test('a one-shot waits for a busy session, fires once, and no restart fires it again (elsewhere its row stayed and it fired once more)', async (t) => {
  hygiene(t);
  const folder = temporaryFolder(t);
  const clock = manualClock();
  const first = await start(t, folder, { turns: [say('One.'), say('Two.')] }, clock);
  const { opened } = first;
  await opened.type('/schedule add once "at 2026-01-01T00:10:00Z" Look around');
  // Somebody asks while it comes due: the task stands behind the question.
  const from = { kind: 'person', id: 'tok_ada', name: 'Ada' } as const;
  await clock.advance(10 * 60_000 - 1);
  await Promise.all([
    opened.agents.post({ session: opened.session, text: 'Hello.', from }),
    clock.advance(1),
  ]);
  await opened.agents.idle();
  assert.deepEqual(await opened.slots('once'), ['00:10:00 fired completed']);
  await first.close();
  const again = await start(t, folder, { turns: [say('Three.')] }, clock);
  await again.opened.pass(HOUR);
  assert.deepEqual(await again.opened.slots('once'), ['00:10:00 fired completed']);
  const told = await again.opened.entries(opened.session);
  assert.equal(told.filter((entry) => entry === 'directive: Look around').length, 1);
});
