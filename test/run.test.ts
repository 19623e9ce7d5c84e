// `fairlead run` as a process, against a scripted model: by a host of its own, and through one that runs.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { JsonObject } from '@fairlead/base';
import { hygiene, repositoryRoot, requires, temporaryFolder } from '@fairlead/testing';
import { type Done, endHost, fairlead, launcher, start, startHost } from './fairlead-process.ts';

type Report = {
  readonly session: string;
  readonly turn: string | null;
  readonly status: string;
  readonly code: string | null;
  readonly text: string;
  readonly nanousd: number | null;
  readonly usage: JsonObject;
  readonly calls: readonly {
    readonly call: string;
    readonly tool: string;
    readonly certainty: string;
    readonly code: string | null;
    readonly ms: number;
  }[];
};

const MARKER = 'planted-marker-of-a-key';

/** What each model says: one turn after the other in a session. */
const SCRIPTS: Readonly<Record<string, readonly JsonObject[]>> = {
  hello: [
    { steps: [{ text: 'Hello there.', chunk: 3 }] },
    { when: 'again', steps: [{ text: 'Hello again.' }] },
  ],
  writer: [
    {
      steps: [
        {
          text: 'I write it.',
          calls: [{ tool: 'write_file', arguments: { path: 'note.txt', content: 'kept' } }],
        },
        { text: 'It is written or not.' },
      ],
    },
  ],
  denied: [{ steps: [{ text: 'never', faults: [{ status: 401 }] }] }],
  silent: [{ steps: [{ text: '' }] }],
  hanging: [{ steps: [{ text: 'never', faults: ['hang', 'hang', 'hang', 'hang'] }] }],
  stuck: [{ steps: [{ calls: [{ tool: 'hang', arguments: {} }] }, { text: 'I do not know.' }] }],
  shell: [
    {
      steps: [
        { calls: [{ tool: 'shell', arguments: { command: 'sh -c "printenv MODEL_KEY || echo no key"' } }] },
        { text: 'It has none.', expect: { last: 'no key' } },
      ],
    },
  ],
};

/** A state directory with those models, and a folder to work in. */
function place(t: TestContext) {
  hygiene(t);
  const folder = temporaryFolder(t);
  const stateDirectory = join(folder, 'state');
  const workspace = join(folder, 'work');
  mkdirSync(stateDirectory, { mode: 0o700 });
  mkdirSync(workspace);
  const blocks = Object.entries(SCRIPTS).map(([name, turns]) => {
    const script = { format: 'fairlead-script-v1', scripts: { default: turns } };
    writeFileSync(join(stateDirectory, `${name}.json`), JSON.stringify(script));
    return `[[backends]]\nname = "${name}"\ntype = "scripted"\nfile = "${name}.json"\n`;
  });
  // One that is never asked: its key must not reach a command.
  const other =
    '[[backends]]\nname = "other"\ntype = "openai_compatible"\nbase_url = "http://127.0.0.1:9/v1"\napi_key_env = "MODEL_KEY"\n[[backends.models]]\nname = "m"\n';
  writeFileSync(
    join(stateDirectory, 'fairlead.toml'),
    `model = "hello/script"\n[[extensions.path]]\npath = "slow"\n${blocks.join('')}${other}`,
  );
  mkdirSync(join(stateDirectory, 'slow'));
  writeFileSync(
    join(stateDirectory, 'slow/extension.ts'),
    `import { defineExtension } from '@fairlead/extension';
export default defineExtension({ name: 'slow', version: '1.0.0',
  tools: { hang: { about: 'Does not end.', approval: 'never', timeoutMs: 1000, run: () => new Promise(() => {}) } } });`,
  );
  linkModules(stateDirectory);
  const env = { ...process.env, MODEL_KEY: MARKER };
  const run = (...args: string[]): Promise<Done> =>
    fairlead(t, ['run', ...args, '--state-dir', stateDirectory], { cwd: workspace, env });
  const json = async (...args: string[]) => {
    const done = await run(...args, '--json');
    return { ...done, report: JSON.parse(done.stdout) as Report };
  };
  return { stateDirectory, workspace, env, run, json };
}

/** What an extension outside the clone imports is found beside it. */
function linkModules(folder: string): void {
  mkdirSync(join(folder, 'node_modules/@fairlead'), { recursive: true });
  symlinkSync(join(repositoryRoot, 'packages/extension'), join(folder, 'node_modules/@fairlead/extension'));
}

type Place = ReturnType<typeof place>;

/** Everything that holds in both ways. */
async function holds(t: TestContext, here: Place): Promise<void> {
  const { workspace, run, json, stateDirectory } = here;
  await t.test('the final text stands alone on stdout, exit 0', async () => {
    const { exit, stdout } = await run('hello');
    assert.deepEqual([exit, stdout], [0, 'Hello there.\n']);
  });

  await t.test('--session goes on in a session by its name', async () => {
    const first = await json('hello', '--session', 'talk');
    const second = await json('hello again', '--session', 'talk');
    assert.equal(second.report.session, first.report.session);
    assert.equal(second.report.text, 'Hello again.');
    const third = await json('again', '--session', first.report.session);
    // The script has no third turn.
    assert.deepEqual([third.exit, third.report.code], [1, 'script_mismatch']);
  });

  await t.test('a tool that asks is refused where nobody can be asked, and the turn goes on', async () => {
    const { exit, report, stderr } = await json('write', '--model', 'writer/script');
    assert.equal(exit, 0);
    assert.deepEqual(
      report.calls.map(({ tool, certainty, code }) => [tool, certainty, code]),
      [['write_file', 'not_started', 'approval_unattended']],
    );
    assert.equal(existsSync(join(workspace, 'note.txt')), false);
    assert.match(stderr, /fairlead: I write it\.\n/);
  });

  await t.test(
    '--approve lets that tool run, in the folder where it was typed, and the decision says by what',
    async () => {
      const { exit, report, stderr } = await json(
        'write',
        '--model',
        'writer/script',
        '--approve',
        'write_file',
      );
      assert.equal(exit, 0);
      assert.deepEqual(
        report.calls.map(({ tool, certainty, code }) => [tool, certainty, code]),
        [['write_file', 'completed', null]],
      );
      assert.equal(readFileSync(join(workspace, 'note.txt'), 'utf8'), 'kept');
      assert.match(stderr, /fairlead: calls write_file\nfairlead: write_file: completed in \d+ ms\n/);
      assert.deepEqual(Object.keys(report), [
        'session',
        'turn',
        'status',
        'code',
        'text',
        'usage',
        'nanousd',
        'calls',
      ]);
      assert.match(report.turn ?? '', /^trn_/);
      const { stdout } = await fairlead(t, [
        'session',
        'export',
        report.session,
        '--state-dir',
        stateDirectory,
      ]);
      assert.match(stdout, /"decision":"approved".*"via":"run"/);
    },
  );

  await t.test(
    'a silent turn ends well and prints nothing; a failed one says why on stderr, exit 1',
    async () => {
      const silent = await run('hello', '--model', 'silent/script');
      assert.deepEqual([silent.exit, silent.stdout], [0, '']);
      const denied = await run('hello', '--model', 'denied/script');
      assert.deepEqual([denied.exit, denied.stdout], [1, '']);
      assert.match(denied.stderr, /\(model_denied\)\n {2}session: ses_\S+\n {2}next: /);
    },
  );

  await t.test('a call whose end is not known: exit 3', async () => {
    const { exit, report, stderr } = await json('hang', '--model', 'stuck/script');
    assert.deepEqual(
      report.calls.map(({ tool, certainty, code }) => [tool, certainty, code]),
      [['hang', 'outcome_unknown', 'tool_timeout']],
    );
    assert.equal(exit, 3);
    assert.match(stderr, /whether hang did its work is not known \(call_/);
  });

  await t.test('--timeout ends it, exit 1', async () => {
    const { exit, report } = await json('hello', '--model', 'hanging/script', '--timeout', '1');
    assert.deepEqual([exit, report.status, report.code], [1, 'cancelled', 'turn_timeout']);
  });

  await t.test('a model or an agent that is not there is refused with its code', async () => {
    const model = await run('hello', '--model', 'nobody/script');
    assert.equal(model.exit, 1);
    assert.match(model.stderr, /\(model_unknown\)/);
    const agent = await run('hello', '--agent', 'nobody');
    assert.equal(agent.exit, 1);
    assert.match(agent.stderr, /\(agent_unknown\)/);
  });

  await t.test(
    'the key of a model is in no command’s environment',
    { skip: requires('bubblewrap') },
    async () => {
      const { exit, stdout, stderr } = await run('look', '--model', 'shell/script', '--approve', 'all');
      assert.deepEqual([exit, stdout], [0, 'It has none.\n'], stderr);
    },
  );
}

/** Ctrl-C while the model does not answer. */
async function breaksOff(t: TestContext, { stateDirectory, workspace, env }: Place): Promise<void> {
  const args = [
    'run',
    'hello',
    '--model',
    'hanging/script',
    '--json',
    '--session',
    'broken',
    '--state-dir',
    stateDirectory,
  ];
  const running = start(t, launcher, args, { cwd: workspace, env });
  await running.untilStderr('waiting for the model');
  running.child.kill('SIGINT');
  assert.deepEqual(await running.ended, { exit: 130, signal: null });
  const report = JSON.parse(running.stdout) as Report;
  assert.equal(report.status, 'cancelled');
  assert.match(running.stderr, /\((cancelled|turn_cancelled|interrupted)\)/);
}

test('run without a host is a host of its own for as long as the turn takes', async (t) => {
  const here = place(t);
  const first = await here.run('hello');
  assert.equal(first.exit, 0, first.stderr);
  assert.match(first.stderr, /fairlead: A turn stops at 1,000,000 tokens or 2\.00 USD\.\n/);
  await holds(t, here);
  await t.test('Ctrl-C: exit 130, and how the turn ended is told', (t) => breaksOff(t, here));
  const { stateDirectory } = here;
  assert.equal((await fairlead(t, ['status', '--state-dir', stateDirectory])).exit, 3);
  assert.equal(existsSync(join(stateDirectory, 'server.json')), false);
});

test('run with a host goes through it, and the host stays', async (t) => {
  const here = place(t);
  const { stateDirectory, env } = here;
  const host = await startHost(t, { stateDirectory, env });
  await holds(t, here);
  await t.test('Ctrl-C: exit 130, and how the turn ended is told', (t) => breaksOff(t, here));
  const status = await fairlead(t, ['status', '--state-dir', stateDirectory]);
  assert.equal(status.exit, 0);
  assert.match(status.stdout, /\nagents fairlead, with hello\/script\n/);
  const { exit } = await endHost(host);
  assert.equal(exit, 0);
});

test('the first turn of a fresh folder says which command adds a model', async (t) => {
  hygiene(t);
  const stateDirectory = join(temporaryFolder(t), 'state');
  const { exit, stdout, stderr } = await fairlead(t, ['run', 'hello', '--state-dir', stateDirectory]);
  assert.deepEqual([exit, stdout], [1, '']);
  assert.match(stderr, /\(model_missing\)\n {2}next: Add one with `fairlead model add`/);
});

test('a run without a host loads no HTTP client or server, no AI SDK, no tokenizer, no schema library', async (t) => {
  const { stateDirectory, env } = place(t);
  const folder = dirname(stateDirectory);
  const log = join(folder, 'loaded');
  const hook = join(folder, 'hook.mjs');
  writeFileSync(
    hook,
    `import { appendFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
registerHooks({ load(url, context, next) { appendFileSync(${JSON.stringify(log)}, url + '\\n'); return next(url, context); } });`,
  );
  // The extension of this place would be a worker, which loads what it likes.
  writeFileSync(
    join(stateDirectory, 'fairlead.toml'),
    '[[backends]]\nname = "hello"\ntype = "scripted"\nfile = "hello.json"\n',
  );
  const entry = join(repositoryRoot, 'packages/cli/bin/fairlead.js');
  const args = ['--import', hook, entry, 'run', 'hello', '--state-dir', stateDirectory];
  const running = start(t, process.execPath, args, { env });
  assert.deepEqual(await running.ended, { exit: 0, signal: null });
  assert.equal(running.stdout, 'Hello there.\n');
  const loaded = readFileSync(log, 'utf8').split('\n');
  assert.ok(loaded.some((url) => url.endsWith('/packages/host/src/turn/run-turn.ts')));
  const heavy =
    /\/(@ai-sdk|gpt-tokenizer|zod|fastify|ws|@modelcontextprotocol)\/|^node:(http|https|tls|dns)\b/;
  assert.deepEqual(
    loaded.filter((url) => heavy.test(url)),
    [],
  );
});
