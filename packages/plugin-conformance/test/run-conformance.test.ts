import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { systemClock, systemRandom } from '@fairlead/base';
import { hygiene, pidIsAlive, temporaryFolder, waitFor } from '@fairlead/testing';
import { checkSecondStart } from '../src/checks/check-endings.ts';
import type { Request } from '../src/hostile/plays.ts';
import { scenarioOf } from '../src/hostile/scenarios.ts';
import type { Stage } from '../src/hostile/stage.ts';
import { Lab, pathOnly } from '../src/plugin/lab.ts';
import type { ConformanceReport } from '../src/report/conformance-report.ts';
import { Findings } from '../src/report/findings.ts';
import { type ConformanceOptions, runConformance } from '../src/run-conformance.ts';
import { broken, runStaged } from './run-staged.ts';
import { stagedPlugin } from './staged-plugin.ts';

const HOSTILE = join(import.meta.dirname, '../bin/fairlead-hostile-plugin.ts');

function scenario(name: string) {
  const found = scenarioOf(name);
  assert.ok(found !== undefined);
  return found;
}

function verdictOf({ clauses }: ConformanceReport, wanted: string) {
  return clauses.find(({ id }) => id === wanted);
}

/** Starts the plugin as these scenarios, one after another, and as the last of them from there on. */
function starting(...names: readonly string[]): NonNullable<ConformanceOptions['spawnTree']> {
  let starts = 0;
  return async ({ env }) => {
    const name = names[Math.min(starts, names.length - 1)] ?? '';
    starts += 1;
    return { ok: true, tree: stagedPlugin(scenario(name), { env }) };
  };
}

test('a program that cannot be started is told by its code, and nothing is judged', async (t) => {
  hygiene(t);
  const env = { PATH: '/nowhere' };
  const machine = { platform: process.platform, clock: systemClock(), random: systemRandom() };
  const absent = await runConformance({
    plugin: { command: 'no-such-program', args: [], cwd: '/', env },
    ...machine,
  });
  assert.deepEqual(absent, {
    ok: false,
    code: 'plugin_executable_unavailable',
    localDetail: 'no program no-such-program',
  });
  const refused = await runConformance({
    plugin: { command: process.execPath, args: [], cwd: '/', env },
    ...machine,
    spawnTree: async () => ({ ok: false, code: 'plugin_spawn_failed', localDetail: 'EACCES' }),
  });
  assert.deepEqual(refused, { ok: false, code: 'plugin_spawn_failed', localDetail: 'EACCES' });
});

test('a tool that is not annotated as read-only is called only where the call is named, and once', async (t) => {
  hygiene(t);
  const calls: unknown[] = [];
  const writing = {
    ...scenario('well-behaved'),
    plays: {
      tools: () => [
        {
          name: 'echo',
          inputSchema: { type: 'object' },
          annotations: { readOnlyHint: true, destructiveHint: true },
        },
        {
          name: 'strict',
          inputSchema: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] },
        },
      ],
      call: (stage: Stage, { id, params }: Request) => {
        calls.push(params);
        stage.out(`${JSON.stringify({ jsonrpc: '2.0', id, result: { content: [] } })}\n`);
      },
    },
  };
  const unnamed = await runStaged(writing);
  assert.deepEqual(calls, []);
  assert.deepEqual(unnamed.called, []);
  assert.deepEqual(unnamed.notCalled, ['echo', 'strict']);
  const named = await runStaged(writing, {
    calls: [
      { tool: 'strict', arguments: { n: 3 } },
      { tool: 'strict', arguments: { n: 'three' } },
    ],
  });
  assert.deepEqual(calls, [{ name: 'strict', arguments: { n: 3 } }]);
  assert.deepEqual(named.called, ['strict']);
  assert.deepEqual(named.notCalled, ['echo']);
  assert.deepEqual(named.notMade, [{ tool: 'strict', why: 'the arguments /n must be an integer' }]);
  assert.deepEqual(broken(named), []);
});

test('a plugin that starts only once fails: a Runner starts the next one beside it', async (t) => {
  hygiene(t);
  let starts = 0;
  const report = await runStaged(scenario('well-behaved'), {
    spawnTree: async ({ env }) => {
      starts += 1;
      const name = starts === 1 ? 'well-behaved' : 'dies-at-once';
      return { ok: true, tree: stagedPlugin(scenario(name), { env }) };
    },
  });
  assert.deepEqual(broken(report), ['failed wire.initialize.answers']);
  assert.equal(starts, 2);
});

test('a plugin whose first start alone is one that a Runner takes fails, however it refuses the others', async (t) => {
  hygiene(t);
  const expected = {
    'initialize-rpc-error': ['failed wire.initialize.answers'],
    'version-mismatch': ['failed wire.initialize.version'],
    'list-rpc-error': ['failed wire.list.answers'],
    'tool-name-twice': ['failed wire.list.unique-names'],
    'idle-banner': ['failed wire.framing.stdout'],
  };
  const found: Record<string, string[]> = {};
  for (const name of Object.keys(expected))
    found[name] = broken(
      await runStaged(scenario('well-behaved'), { spawnTree: starting('well-behaved', name) }),
    );
  assert.deepEqual(found, expected);
});

test('a plugin that refuses the start after a call that went wrong fails for that too', async (t) => {
  hygiene(t);
  const call = { tool: 'echo', arguments: {} };
  for (const later of ['initialize-rpc-error', 'version-mismatch', 'tool-name-twice']) {
    let hasDied = false;
    const report = await runStaged(scenario('dies-on-call'), {
      calls: [call, call],
      spawnTree: async ({ env }) => {
        const tree = stagedPlugin(scenario(hasDied ? later : 'dies-on-call'), { env });
        void tree.exited.then(({ code }) => {
          hasDied ||= code === 3;
        });
        return { ok: true, tree };
      },
    });
    assert.deepEqual(broken(report), ['failed wire.initialize.answers', 'failed wire.call.answers'], later);
  }
});

test('a plugin that no Runner would take after a start with PATH alone fails, and is not only advised', async (t) => {
  hygiene(t);
  let isSpoilt = false;
  const report = await runStaged(scenario('well-behaved'), {
    spawnTree: async ({ env }) => {
      isSpoilt ||= env['HOME'] === undefined;
      return {
        ok: true,
        tree: stagedPlugin(scenario(isSpoilt ? 'version-mismatch' : 'well-behaved'), { env }),
      };
    },
  });
  assert.deepEqual(broken(report), ['failed wire.initialize.answers', 'advice wire.manners.path-only']);
});

test('a program that cannot be started a second time fails', async (t) => {
  hygiene(t);
  let starts = 0;
  const report = await runStaged(scenario('well-behaved'), {
    spawnTree: async ({ env }) => {
      starts += 1;
      if (starts > 1) return { ok: false, code: 'plugin_spawn_failed', localDetail: 'ENOENT' };
      return { ok: true, tree: stagedPlugin(scenario('well-behaved'), { env }) };
    },
  });
  assert.deepEqual(broken(report), ['failed wire.initialize.answers']);
});

test('half a line that a plugin leaves while nothing is asked fails, though it goes on', async (t) => {
  hygiene(t);
  const report = await runStaged(scenario('idle-half-line'));
  assert.deepEqual(broken(report), ['failed wire.framing.line-feed']);
  assert.deepEqual(verdictOf(report, 'wire.framing.line-feed')?.faults, [
    { expected: 'a line that ends with LF', seen: '{"half"' },
  ]);
});

test('a plugin that does not know tools/call fails, and what only a result shows is skipped', async (t) => {
  hygiene(t);
  const report = await runStaged(scenario('calls-not-found'));
  assert.deepEqual(broken(report), ['failed wire.call.answers']);
  const calls = report.clauses.filter(({ id }) => id.startsWith('wire.call.') && id !== 'wire.call.answers');
  assert.deepEqual([...new Set(calls.map(({ verdict }) => verdict))], ['skipped']);
  assert.deepEqual(verdictOf(report, 'wire.call.answers')?.faults?.[0], {
    expected: 'tools/call to be known for a tool that is listed',
    seen: 'the error -32601',
  });
});

test('where every call ends in an error, the clauses about results say so', async (t) => {
  hygiene(t);
  const plays = {
    ...scenario('rpc-error').plays,
    tools: () => [
      {
        name: 'echo',
        inputSchema: { type: 'object' },
        outputSchema: { type: 'object' },
        annotations: { readOnlyHint: true },
      },
    ],
  };
  const report = await runStaged({ ...scenario('rpc-error'), plays });
  assert.deepEqual(broken(report), []);
  const reasons = report.clauses
    .filter(({ verdict }) => verdict === 'skipped')
    .map(({ id, reason }) => `${id}: ${reason}`);
  assert.deepEqual(reasons, [
    'wire.call.result-form: every call was answered with an error',
    'wire.call.content: every call was answered with an error',
    'wire.call.text: every call was answered with an error',
    'wire.call.structured-content: every call was answered with an error',
    'wire.call.is-error: every call was answered with an error',
    'wire.call.output-schema: every call was answered with an error',
    'wire.call.result-bounds: every call was answered with an error',
    'wire.manners.bad-arguments: no tool that is annotated readOnlyHint has a schema that an object can break',
  ]);
});

test('a character that a cut garbles or swallows is seen in a result, an error and a text of escapes', async (t) => {
  hygiene(t);
  const said = (id: number, more: object): string => `${JSON.stringify({ jsonrpc: '2.0', id, ...more })}\n`;
  const answers: Readonly<Record<string, (id: number, text: string) => string>> = {
    result: (id, text) => said(id, { result: { content: [{ type: 'text', text }] } }),
    error: (id, text) => said(id, { error: { code: -32000, message: text.slice(0, 100) } }),
    escapes: (id, text) =>
      said(id, { result: { content: [], structuredContent: { text } } }).replaceAll(
        /[^\0-\x7f]/g,
        (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
      ),
  };
  for (const [name, answer] of Object.entries(answers)) {
    for (const swallows of [false, true]) {
      const report = await runStaged({
        ...scenario('decodes-by-chunk'),
        plays: {
          reading: 'decoded_chunks',
          call: (stage: Stage, { id, params }: Request) => {
            const text = JSON.stringify(params.arguments);
            stage.out(answer(id, swallows ? text.replaceAll('\ufffd', '') : text));
          },
        },
      });
      assert.deepEqual(broken(report), ['failed wire.call.utf8-arguments'], `${name} ${swallows}`);
    }
  }
});

test('a tool that answers another thing each time is not taken for one that garbles', async (t) => {
  hygiene(t);
  let calls = 0;
  const report = await runStaged({
    ...scenario('well-behaved'),
    plays: {
      call: (stage: Stage, { id, params }: Request) => {
        calls += 1;
        const text = `${calls} ${JSON.stringify(params.arguments)} \ufffd`;
        stage.out(
          `${JSON.stringify({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text }] } })}\n`,
        );
      },
    },
  });
  assert.deepEqual(broken(report), []);
});

test('a plugin that ends its predecessor fails: a Runner lets that one answer what it is at', async (t) => {
  hygiene(t);
  let earlier: ReturnType<typeof stagedPlugin> | null = null;
  const report = await runStaged(scenario('well-behaved'), {
    spawnTree: async ({ env }) => {
      earlier?.terminate();
      earlier = stagedPlugin(scenario('well-behaved'), { env });
      return { ok: true, tree: earlier };
    },
  });
  const beside = verdictOf(report, 'wire.life.beside');
  assert.deepEqual(broken(report), ['failed wire.life.beside']);
  assert.deepEqual(beside?.faults, [
    { expected: 'a process that goes on when another is started', seen: 'it ended' },
  ]);
});

test('why a plugin does not start beside itself is told in its own last words', async (t) => {
  hygiene(t);
  const report = await runStaged(scenario('needs-to-be-alone'));
  assert.deepEqual(verdictOf(report, 'wire.life.beside')?.faults, [
    {
      expected: 'what it answers when it is alone',
      seen: 'it ended (1); the last line of its stderr: the port is taken',
    },
  ]);
});

test('after three calls that went wrong no more are made', async (t) => {
  hygiene(t);
  let calls = 0;
  const many = {
    ...scenario('well-behaved'),
    plays: {
      tools: () => [{ name: 'echo', inputSchema: { type: 'object' } }],
      call: (stage: Stage) => {
        calls += 1;
        stage.exit(1);
      },
    },
  };
  const call = { tool: 'echo', arguments: {} };
  const report = await runStaged(many, { calls: [call, call, call, call, call] });
  assert.equal(calls, 3);
  assert.deepEqual(broken(report), ['failed wire.call.answers']);
});

test('the environment of the plugin has no credential of Fairlead in it, and once nothing but PATH', async (t) => {
  hygiene(t);
  const seen: string[][] = [];
  await runStaged(scenario('well-behaved'), {
    plugin: {
      command: process.execPath,
      args: [],
      cwd: import.meta.dirname,
      env: { PATH: '/bin', HOME: '/home/you', FAIRLEAD_TOKEN: 'planted', NODE_TEST_CONTEXT: 'child' },
    },
    spawnTree: async ({ env }) => {
      seen.push(Object.keys(env).sort());
      return { ok: true, tree: stagedPlugin(scenario('well-behaved'), { env }) };
    },
  });
  assert.deepEqual([...new Set(seen.map((names) => names.join(' ')))], ['HOME PATH', 'PATH']);
});

test('on Windows PATH alone starts nothing, and there is no SIGTERM to hear', async (t) => {
  hygiene(t);
  const env = { Path: 'C:\\bin', SystemRoot: 'C:\\Windows', PATHEXT: '.EXE', HOME: 'C:\\you' };
  assert.deepEqual(Object.keys(pathOnly(env, 'win32')), ['Path', 'SystemRoot', 'PATHEXT']);
  await using lab = new Lab({
    plugin: { command: process.execPath, args: [], cwd: '/', env: {} },
    platform: 'linux',
    clock: systemClock(),
    random: systemRandom(),
    timeoutMs: 10_000,
    quietMs: 10,
    exitMs: 10,
    spawnTree: async () => ({ ok: true, tree: stagedPlugin(scenario('no-tools')) }),
  });
  const findings = new Findings();
  await checkSecondStart({ lab, findings, calls: [] }, { tools: new Map() }, 'win32');
  assert.deepEqual(findings.of('wire.manners.same-tools', ''), { verdict: 'passed' });
  assert.deepEqual(findings.of('wire.manners.sigterm', ''), {
    verdict: 'skipped',
    reason: 'Windows has no SIGTERM',
  });
});

test('a kit that is killed leaves no plugin behind', async (t) => {
  hygiene(t);
  const record = join(temporaryFolder(t), 'record');
  const script = `
    import { runConformance } from '../src/index.ts';
    await runConformance({
      plugin: { command: process.execPath, args: [${JSON.stringify(HOSTILE)}, 'initialize-never-answers', ${JSON.stringify(record)}], cwd: '/', env: process.env },
    });`;
  const kit: ChildProcess = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: import.meta.dirname,
    stdio: 'ignore',
  });
  const ended = new Promise((resolve) => kit.once('exit', resolve));
  await waitFor(() => existsSync(record) && readFileSync(record, 'utf8').includes('initialize'), {
    what: 'the plugin to be asked',
    timeoutMs: 30_000,
  });
  const [pid = 0] = readFileSync(`${record}.pids`, 'utf8').trim().split('\n').map(Number);
  assert.equal(pidIsAlive(pid), true);
  kit.kill('SIGKILL');
  await ended;
  await waitFor(() => !pidIsAlive(pid), { what: 'the end of the plugin' });
});
