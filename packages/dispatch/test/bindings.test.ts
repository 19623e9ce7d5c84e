import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { completed, type JsonObject, type Random } from '@fairlead/base';
import { toolObservation } from '@fairlead/protocol';
import { openStore, type Store } from '@fairlead/store';
import { hygiene, manualClock, seededRandom, temporaryFolder } from '@fairlead/testing';
import fc from 'fast-check';
import {
  argumentsDigest,
  Bindings,
  digestKey,
  type Observed,
  observed,
  pluginTarget,
  runnerOfTarget,
} from '../src/index.ts';
import { dispatchFloor, type TestContext } from './dispatch-floor.ts';
import { echoTools, fakeRunner, SAY } from './fake-runners.ts';

function seen(number: number): Observed {
  return observed({
    runner: `runner-${number % 3}`,
    runnerInstance: `start-${number % 5}`,
    plugin: `plugin-${number % 2}`,
    providerInstance: `instance-${number}`,
    tool: `tool-${number % 7}`,
    observation: `observation-${number}`,
    timeoutSecs: 30,
  });
}

const SCHEMA: JsonObject = { type: 'object', properties: { text: { type: 'string' } } };

type Opened = { readonly bindings: Bindings; readonly store: Store; reopen(): Promise<Bindings> };

async function opened(t: TestContext, random: Random = seededRandom(1)): Promise<Opened> {
  hygiene(t);
  const clock = manualClock();
  const store = await openStore({ path: join(temporaryFolder(t), 'fairlead.db'), clock });
  t.after(() => store.close());
  const open = () => Bindings.open({ store, clock, random });
  const bindings = await open();
  return {
    bindings,
    store,
    reopen: async () => {
      await bindings[Symbol.asyncDispose]();
      return await open();
    },
  };
}

test('a binding is the prefix and 22 base64url characters, and stands for what was bound as it was then', async (t) => {
  const { bindings } = await opened(t);
  const handle = await bindings.bind(seen(1), SCHEMA);
  assert.match(handle, /^wc_pbind_[A-Za-z0-9_-]{22}$/);
  assert.deepEqual(bindings.resolve(handle), seen(1));
  assert.equal(Object.isFrozen(bindings.resolve(handle)), true);
  assert.deepEqual(await bindings.inputSchema(handle), SCHEMA);
  bindings.forget(handle);
  bindings.forget(handle);
  assert.equal(bindings.resolve(handle), undefined);
  assert.equal(bindings.size, 0);
});

test('randomness that repeats itself never moves a binding to something else', async (t) => {
  const { bindings } = await opened(t, (count) => new Uint8Array(count));
  const handle = await bindings.bind(seen(1), SCHEMA);
  await assert.rejects(bindings.bind(seen(2), SCHEMA), {
    message: 'the source of randomness repeats itself',
  });
  assert.deepEqual(bindings.resolve(handle), seen(1));
});

test('a binding never resolves to anything other than what was described, also after a restart; at 512 the oldest goes', async (t) => {
  const step = fc.oneof(
    fc.record({ do: fc.constant('bind' as const), number: fc.nat(1_000) }),
    fc.record({ do: fc.constant('forget' as const), number: fc.nat(1_000) }),
    fc.record({ do: fc.constant('many' as const), number: fc.integer({ min: 1, max: 300 }) }),
    fc.record({ do: fc.constant('restart' as const), number: fc.constant(0) }),
  );
  const { store, reopen } = await opened(t);
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      await store.write([{ sql: 'DELETE FROM bindings' }], 'normal');
      let bindings = await reopen();
      const model = new Map<string, number>();
      const everMade: string[] = [];
      const bind = async (number: number) => {
        const handle = await bindings.bind(seen(number), SCHEMA);
        assert.equal(everMade.includes(handle), false);
        everMade.push(handle);
        model.set(handle, number);
        if (model.size > 512) model.delete([...model.keys()][0] ?? '');
      };
      for (const { do: what, number } of steps) {
        if (what === 'bind') await bind(number);
        else if (what === 'many') for (let more = 0; more < number; more += 1) await bind(more);
        else if (what === 'restart') {
          await bindings[Symbol.asyncDispose]();
          bindings = await reopen();
        } else {
          const handle = everMade[number % Math.max(1, everMade.length)] ?? 'wc_pbind_none';
          bindings.forget(handle);
          model.delete(handle);
        }
      }
      assert.equal(bindings.size, model.size);
      for (const handle of everMade) {
        const number = model.get(handle);
        assert.deepEqual(bindings.resolve(handle), number === undefined ? undefined : seen(number));
      }
      await bindings[Symbol.asyncDispose]();
      const [rows] = await store.read<{ rows: number }>('SELECT count(*) AS rows FROM bindings');
      assert.ok((rows?.rows ?? 0) >= model.size && (rows?.rows ?? 0) < model.size + 64, `${rows?.rows} rows`);
    }),
    { numRuns: 15 },
  );
});

test('a table with more than 512 rows is cut to the newest at the next start', async (t) => {
  const { store, bindings, reopen } = await opened(t);
  const first = await bindings.bind(seen(1), SCHEMA);
  const columns =
    'runner, runner_instance, plugin, provider_instance, tool, observation, timeout_secs, created_at';
  await store.write([
    {
      sql: `INSERT INTO bindings (binding, ${columns}) WITH RECURSIVE more (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM more WHERE n < 520)
        SELECT 'wc_pbind_' || n, ${columns} FROM more, bindings`,
    },
  ]);
  const again = await reopen();
  assert.equal(again.size, 512);
  assert.equal(again.resolve(first), undefined);
  assert.equal(again.resolve('wc_pbind_8'), undefined);
  assert.deepEqual(again.resolve('wc_pbind_9'), seen(1));
  assert.equal(await again.inputSchema('wc_pbind_9'), null);
});

test('a binding that the table cannot take serves until the process ends, and that is logged', async (t) => {
  const logged: string[] = [];
  const { store } = await opened(t);
  const failing: Store = {
    read: (sql, parameters) => store.read(sql, parameters),
    write: async (statements, durability) => {
      if (
        statements[0]?.sql.startsWith('INSERT') === true ||
        statements[0]?.sql.endsWith('binding = ?') === true
      )
        throw new Error('full');
      return await store.write(statements, durability);
    },
    close: () => store.close(),
    [Symbol.asyncDispose]: () => store.close(),
  };
  const options = { clock: manualClock(), random: seededRandom(1) };
  const log = (level: string, event: string) => void logged.push(`${level} ${event}`);
  const bindings = await Bindings.open({ ...options, store: failing, log });
  const handle = await bindings.bind(seen(1), SCHEMA);
  assert.deepEqual(bindings.resolve(handle), seen(1));
  assert.equal(await bindings.inputSchema(handle), null);
  bindings.forget(handle);
  await bindings[Symbol.asyncDispose]();
  assert.equal(bindings.resolve(handle), undefined);
  assert.deepEqual(logged, ['warn binding.not_written', 'warn binding.not_forgotten']);
});

test('whatever is reloaded, restarted or changed in between, a call reaches what was described or nothing', async (t) => {
  const floor = await dispatchFloor(t);
  const step = fc.oneof(
    fc.record({
      do: fc.constant('describe' as const),
      runner: fc.constantFrom('east', 'west'),
      plugin: fc.constantFrom('one', 'two'),
      tool: fc.constantFrom('say', 'shout'),
    }),
    fc.record({ do: fc.constant('call' as const), which: fc.nat() }),
    fc.record({ do: fc.constant('restart' as const), runner: fc.constantFrom('east', 'west') }),
    fc.record({ do: fc.constant('reload' as const), runner: fc.constantFrom('east', 'west') }),
    fc.record({ do: fc.constant('edit' as const) }),
    fc.record({ do: fc.constant('leave' as const), runner: fc.constantFrom('east', 'west') }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      const starts = { east: 1, west: 1 };
      const reloads = { east: 1, west: 1 };
      const away = new Set<string>();
      let edition = 1;
      const definition = (tool: string) => ({ ...SAY, name: tool, description: `edition ${edition}` });
      floor.runners.answers.tools_list = ({ runner, request }) =>
        completed(
          echoTools(
            {
              provider: request.kind === 'tools_list' ? request.provider : '',
              provider_instance: `${runner}-set-${reloads[runner as 'east']}`,
            },
            [definition('say'), definition('shout')],
          ),
        );
      const made: { binding: string; expected: readonly unknown[] }[] = [];
      for (const next of steps) {
        floor.runners.connected = (['east', 'west'] as const)
          .filter((runner) => !away.has(runner))
          .map((runner) => fakeRunner(runner, `${runner}-start-${starts[runner]}`));
        floor.runners.sent.length = 0;
        if (next.do === 'restart') {
          starts[next.runner as 'east'] += 1;
          away.delete(next.runner);
        } else if (next.do === 'reload') reloads[next.runner as 'east'] += 1;
        else if (next.do === 'edit') edition += 1;
        else if (next.do === 'leave') away.add(next.runner);
        else if (next.do === 'describe') {
          const { do: _, ...names } = next;
          const { output } = await floor.invoke({ action: 'describe', ...names });
          if (output === undefined) continue;
          const runner = next.runner as 'east';
          made.push({
            binding: String(output['binding']),
            expected: [
              runner,
              `${runner}-start-${starts[runner]}`,
              next.plugin,
              `${runner}-set-${reloads[runner]}`,
              next.tool,
              toolObservation(definition(next.tool)),
            ],
          });
        } else if (made.length > 0) {
          const { binding, expected } = made[next.which % made.length] ?? { binding: '', expected: [] };
          const answer = await floor.invoke({ action: 'call', binding, arguments: { text: 'x' } });
          const reached = floor.runners.sent.map(({ runner, instanceId, request }) =>
            request.kind === 'tools_call'
              ? [
                  runner,
                  instanceId,
                  request.provider,
                  request.provider_instance,
                  request.tool,
                  request.observation,
                ]
              : [],
          );
          assert.deepEqual(reached, answer.certainty === 'completed' ? [expected] : []);
        }
      }
    }),
    { numRuns: 60 },
  );
});

test('a target names the observation without an instance id; the digest is keyed and bound to it', () => {
  const where = seen(1);
  const target = pluginTarget(where);
  assert.equal(target, 'plugin:runner-1/plugin-1/tool-1#wYV1BTCpKNgc8-8Z');
  for (const change of [{ runnerInstance: 'x' }, { providerInstance: 'x' }, { observation: 'x' }])
    assert.notEqual(pluginTarget({ ...where, ...change }), target);
  const key = digestKey(Buffer.alloc(32, 1));
  const digest = argumentsDigest(key, 'plugin:local/echo/say#AAAAAAAAAAAAAAAA', '{"a":1}');
  assert.equal(digest, 'ZdnWFwobbWghn1GQNtSQHZJpWpb7FnEs98py_oc2OTk');
  assert.notEqual(
    argumentsDigest(digestKey(Buffer.alloc(32, 2)), 'plugin:local/echo/say#AAAAAAAAAAAAAAAA', '{"a":1}'),
    digest,
  );
  assert.notEqual(argumentsDigest(key, 'plugin:local/echo/say#AAAAAAAAAAAAAAAB', '{"a":1}'), digest);
});

test('a target names one Runner, whatever its id is made of', () => {
  const targetOf = (runner: string) => pluginTarget({ ...seen(1), runner });
  assert.match(targetOf('a/b'), /^plugin:a%2Fb\/plugin-1\/tool-1#/);
  for (const runner of ['a', 'a/b', '/', '%', 'a%2Fb', '%25', 'a b:c#d'])
    assert.equal(runnerOfTarget(targetOf(runner)), runner);
  assert.equal(runnerOfTarget('runner:a%2Fb/config#x'), 'a/b');
  for (const target of ['plugin:-', 'gateway:plugin_tool/list', 'ext:core/shell#x', 'mcp:a/b'])
    assert.equal(runnerOfTarget(target), undefined);
});
