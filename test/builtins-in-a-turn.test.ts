import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { type JsonObject, systemClock, systemRandom } from '@fairlead/base';
import { type Entry, type RunReport, readEntry } from '@fairlead/host';
import { hygiene, requires, temporaryFolder } from '@fairlead/testing';
import { loadHostConfig } from '../packages/cli/src/host/host-config.ts';
import { openHostFloor } from '../packages/cli/src/host/host-floor.ts';

type Step = { readonly text?: string; readonly calls?: readonly JsonObject[]; readonly expect?: JsonObject };

const CONFIGURATION = `
model = "local/tiny"

[[backends]]
name = "local"
type = "scripted"
file = "script.json"
api_key_env = "PLANTED_KEY"

[[backends.models]]
name = "tiny"

[[agents]]
name = "scout"

[[agents.workers]]
name = "reader"
system_prompt = "Only read."
tools = ["read_file"]
`;

/** A host with all that comes with it, whose agent follows a script. */
async function host(
  t: TestContext,
  options: {
    readonly steps: readonly Step[];
    readonly worker?: readonly Step[];
    readonly policy?: string;
    readonly workspace?: string;
  },
) {
  hygiene(t);
  const folder = temporaryFolder(t);
  const stateDirectory = join(folder, 'state');
  const workspace = join(folder, options.workspace ?? 'work');
  for (const made of [stateDirectory, workspace]) mkdirSync(made, { recursive: true, mode: 0o700 });
  const script = {
    format: 'fairlead-script-v1',
    scripts: {
      default: [{ steps: options.steps }],
      'worker:reader': [{ steps: options.worker ?? [{ text: 'Nothing.' }] }],
    },
  };
  writeFileSync(join(stateDirectory, 'script.json'), JSON.stringify(script));
  writeFileSync(join(stateDirectory, 'fairlead.toml'), CONFIGURATION + (options.policy ?? ''));
  const context = {
    ...{ cwd: folder, home: join(folder, 'home'), cloneRoot: folder, clock: systemClock() },
    env: { PATH: process.env['PATH'] ?? '', PLANTED_KEY: 'planted-key-of-the-back-end', GREETING: 'hello' },
    platform: process.platform,
    random: systemRandom(),
    stdout: () => {},
    stderr: () => {},
    readStdin: async () => Buffer.alloc(0),
    streams: () => ({ input: new PassThrough(), output: new PassThrough() }),
  };
  const loaded = await loadHostConfig(context, stateDirectory, {});
  const floor = await openHostFloor({ context, stateDirectory, loaded, log: () => {} });
  t.after(() => floor[Symbol.asyncDispose]());
  const { agents } = floor;
  const session = await agents.newSession({ agents: ['scout'], workspace });
  async function entries(of: string): Promise<readonly Entry[]> {
    const found: Entry[] = [];
    for await (const { id, value } of (await agents.sessions.open(of)).table('entries').scan()) {
      const entry = readEntry(id, value);
      if (entry !== undefined && entry.type !== 'unknown') found.push(entry);
    }
    return found;
  }
  return {
    ...{ agents, session, workspace, entries },
    /** Ada asks, and has approved these tools beforehand. */
    ask: (approve: readonly string[] | 'all' = 'all'): Promise<RunReport> =>
      agents.runOnce({
        session,
        text: 'Go on.',
        from: { kind: 'person', id: 'tok_ada', name: 'Ada' },
        approve,
      }),
    /** What the model read of each call, in the order of the calls. */
    async results(of = session): Promise<readonly (readonly [string, string])[]> {
      const found = await entries(of);
      const ends = new Map(
        found.flatMap((entry) => (entry.type === 'tool_result' ? [[entry.call, entry]] : [])),
      );
      return found.flatMap((entry) => {
        const end = entry.type === 'tool_call' ? ends.get(entry.call) : undefined;
        return end === undefined ? [] : [[end.certainty, end.text] as const];
      });
    },
  };
}

const call = (tool: string, args: JsonObject): Step => ({ calls: [{ tool, arguments: args }] });

test('an agent writes, edits, reads and runs, each call under the grants of its session', {
  skip: requires('bubblewrap'),
}, async (t) => {
  const h = await host(t, {
    steps: [
      call('write_file', { path: 'notes/plan.txt/', content: 'one\ntwo\n' }),
      call('edit_file', { path: 'notes/plan.txt', old_text: 'two', new_text: 'three\nfour' }),
      call('shell', { command: 'wc -l notes/plan.txt' }),
      call('shell', { command: 'cat plan.txt | tr a-z A-Z; cat /etc/shadow', working_dir: 'notes' }),
      call('read_file', { path: 'notes/plan.txt', offset: 2, limit: 1 }),
      { text: 'Done.' },
    ],
  });
  const report = await h.ask();
  assert.deepEqual([report.status, report.text], ['completed', 'Done.']);
  assert.deepEqual(await h.results(), [
    ['completed', 'Wrote 8 bytes to notes/plan.txt'],
    ['completed', 'Made 1 replacement in notes/plan.txt (+1 line)'],
    [
      'completed',
      '[sandbox: commands have no network, because nothing could hold them to what the grants allow of it]\n3 notes/plan.txt',
    ],
    ['completed', 'ONE\nTHREE\nFOUR\n[stderr] cat: /etc/shadow: No such file or directory\n[exit code 1]'],
    ['completed', 'three\n[truncated: read on with offset 3]'],
  ]);
  assert.equal(readFileSync(join(h.workspace, 'notes/plan.txt'), 'utf8'), 'one\nthree\nfour\n');
});

test('what lies outside of the grants is refused before anybody is asked, and nothing of it is touched', async (t) => {
  const h = await host(t, {
    steps: [
      call('read_file', { path: '/etc/hostname' }),
      call('write_file', { path: '../out.txt', content: 'x' }),
      call('shell', { command: 'true', working_dir: '/' }),
      call('shell', { command: 'git push --force' }),
      { text: 'Done.' },
    ],
    policy: '\n[policy.tools.shell]\ngrants = { shell = { deny = ["git push"] } }\n',
  });
  // Nobody has approved anything: asking would be refused as approval_unattended.
  const report = await h.ask([]);
  assert.deepEqual(
    report.calls.map(({ certainty, code }) => [certainty, code]),
    [
      ['not_started', 'grant_denied'],
      ['not_started', 'grant_denied'],
      ['not_started', 'grant_denied'],
      ['not_started', 'grant_denied'],
    ],
  );
});

test('a session in the folder that the state directory stands in cannot read its tokens', {
  skip: requires('bubblewrap'),
}, async (t) => {
  const h = await host(t, {
    steps: [
      call('read_file', { path: 'state/author.key' }),
      call('write_file', { path: 'state/fairlead.toml', content: '' }),
      call('shell', { command: 'ls -A state' }),
      call('shell', { command: 'true', working_dir: 'state' }),
      { text: 'Done.' },
    ],
    workspace: '.',
  });
  const report = await h.ask();
  assert.deepEqual(
    report.calls.map(({ certainty, code }) => [certainty, code]),
    [
      ['not_started', 'grant_denied'],
      ['not_started', 'grant_denied'],
      ['completed', null],
      ['not_started', 'grant_denied'],
    ],
  );
  const [, , [, listed = ''] = []] = await h.results();
  assert.match(listed, /\n\[no output\]$/);
});

test('a command sees no key of the host, and a key that it prints from elsewhere is left out of its result', async (t) => {
  const h = await host(t, {
    steps: [
      call('shell', { command: 'env' }),
      call('shell', { command: 'echo planted-key-of-the-back-end' }),
      { text: 'Done.' },
    ],
  });
  await h.ask();
  const [[, env = ''] = [], [, echoed = ''] = []] = await h.results();
  assert.match(env, /^GREETING=hello$/m);
  assert.doesNotMatch(env, /PLANTED_KEY/);
  assert.match(echoed, /\[REDACTED:configured_secret\]$/);
});

test('a command that is late is killed, what it had printed reaches the model, and the turn goes on', async (t) => {
  const h = await host(t, {
    steps: [
      call('shell', { command: 'echo so far planted-key-of-the-back-end; sleep 600' }),
      { text: 'Done.', expect: { last: 'so far' } },
    ],
    policy: '\n[policy.tools.shell]\ntimeout_secs = 5\n',
  });
  const report = await h.ask();
  assert.deepEqual(
    report.calls.map(({ certainty, code }) => [certainty, code]),
    [['outcome_unknown', 'tool_timeout']],
  );
  const [[certainty, text = ''] = []] = await h.results();
  assert.equal(certainty, 'outcome_unknown');
  assert.match(text, /\nso far \[REDACTED:configured_secret\]$/);
  assert.equal(report.text, 'Done.');
});

test('a worker has its own session, its own tools and no more of them, and its last words are the result', async (t) => {
  const h = await host(t, {
    steps: [
      call('spawn_worker', { name: 'reader', task: 'Read the plan.', context: 'It is in plan.txt.' }),
      { text: 'It says: three steps.' },
    ],
    worker: [
      {
        ...call('read_file', { path: 'plan.txt' }),
        expect: { tools: ['read_file'], absent: ['shell', 'write_file', 'spawn_worker'] },
      },
      { text: 'Three steps.', expect: { last: 'one' } },
    ],
  });
  writeFileSync(join(h.workspace, 'plan.txt'), 'one\ntwo\nthree\n');
  const report = await h.ask();
  assert.equal(report.text, 'It says: three steps.');
  assert.deepEqual(await h.results(), [['completed', 'Three steps.']]);
  const result = (await h.entries(h.session)).find(({ type }) => type === 'tool_result');
  const { session: child } = (result as unknown as { structured: { session: string } }).structured;
  const told = await h.entries(child);
  const types = told.map(({ type }) => type);
  assert.deepEqual(types, ['directive', 'ack', 'tool_call', 'tool_result', 'message', 'turn_end']);
  assert.deepEqual(await h.results(child), [['completed', 'one\ntwo\nthree\n']]);
  assert.equal((await h.agents.sessions.meta(child)).closed, true);
});

test('a worker that nobody has was not started, and an agent that fails has ended', async (t) => {
  const h = await host(t, {
    steps: [
      call('spawn_worker', { name: 'nobody', task: 'x' }),
      call('spawn_worker', { name: 'reader', task: 'x' }),
      { text: 'Done.' },
    ],
    worker: [call('shell', { command: 'true' })],
  });
  const report = await h.ask();
  assert.deepEqual(
    report.calls.map(({ certainty }) => certainty),
    ['not_started', 'completed'],
  );
  const [, [, failed = ''] = []] = await h.results();
  assert.match(failed, /script_mismatch/);
});

test('a summary stands for what came before the turn from the next one on', async (t) => {
  const h = await host(t, {
    steps: [call('compact', { summary: 'We agreed on three steps.' }), { text: 'Done.' }],
  });
  const report = await h.ask([]);
  assert.deepEqual(
    report.calls.map(({ certainty, code }) => [certainty, code]),
    [['completed', null]],
  );
  const summary = (await h.entries(h.session)).find(({ type }) => type === 'summary');
  assert.equal((summary as { text?: string } | undefined)?.text, 'We agreed on three steps.');
});

test('the time, arithmetic and descriptions need nobody’s approval', async (t) => {
  const h = await host(t, {
    steps: [
      {
        calls: [
          { tool: 'get_time', arguments: {} },
          { tool: 'calculate', arguments: { expression: '6 * 7' } },
          { tool: 'describe_tool', arguments: { name: 'edit_file' } },
          { tool: 'describe_tool', arguments: { name: 'nope' } },
        ],
      },
      { text: 'Done.' },
    ],
  });
  await h.ask([]);
  const [time, answer, described, unknown] = await h.results();
  assert.match(time?.[1] ?? '', /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  assert.deepEqual(answer, ['completed', '42']);
  assert.match(described?.[1] ?? '', /edit_file[\s\S]*old_text/);
  assert.match(unknown?.[1] ?? '', /There is no tool of this name/);
});

test('a file that is edited keeps its mode, and one edit that does not fit changes nothing', async (t) => {
  const h = await host(t, {
    steps: [
      call('edit_file', {
        path: 'run.sh',
        edits: [
          { old_text: 'one', new_text: '1' },
          { old_text: 'nope', new_text: '2' },
        ],
      }),
      call('edit_file', { path: 'run.sh', edits: [{ old_text: 'one', new_text: '1' }] }),
      { text: 'Done.' },
    ],
  });
  const file = join(h.workspace, 'run.sh');
  writeFileSync(file, 'echo one\r\n', { mode: 0o750 });
  const report = await h.ask(['edit_file']);
  assert.deepEqual(
    report.calls.map(({ certainty, code }) => [certainty, code]),
    [
      ['not_started', 'edit_not_found'],
      ['completed', null],
    ],
  );
  assert.equal(readFileSync(file, 'utf8'), 'echo 1\r\n');
  assert.equal(statSync(file).mode & 0o777, 0o750);
});

test('in a session that may only read, files are read and nothing is written or run', async (t) => {
  const h = await host(t, {
    steps: [
      call('read_file', { path: 'a' }),
      call('write_file', { path: 'a', content: 'y' }),
      call('shell', { command: 'true' }),
      call('compact', { summary: 'x' }),
      { text: 'Done.' },
    ],
  });
  writeFileSync(join(h.workspace, 'a'), 'x');
  await h.agents.sessions.setMode(h.session, 'read_only', { scopes: ['session:approve'] });
  const report = await h.ask();
  assert.deepEqual(
    report.calls.map(({ certainty, code }) => [certainty, code]),
    [
      ['completed', null],
      ['not_started', 'session_guard_denied'],
      ['not_started', 'session_guard_denied'],
      ['not_started', 'session_guard_denied'],
    ],
  );
});
