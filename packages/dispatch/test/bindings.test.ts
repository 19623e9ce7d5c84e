import assert from 'node:assert/strict';
import { test } from 'node:test';
import { completed } from '@fairlead/base';
import { toolObservation } from '@fairlead/protocol';
import { seededRandom } from '@fairlead/testing';
import fc from 'fast-check';
import { argumentsDigest, Bindings, digestKey, type Observed, pluginTarget } from '../src/index.ts';
import { dispatchFloor } from './dispatch-floor.ts';
import { echoTools, fakeRunner, SAY } from './fake-runners.ts';

function observed(number: number): Observed {
  return {
    runner: `runner-${number % 3}`,
    runnerInstance: `start-${number % 5}`,
    plugin: `plugin-${number % 2}`,
    providerInstance: `instance-${number}`,
    tool: `tool-${number % 7}`,
    observation: `observation-${number}`,
    timeoutSecs: 30,
    target: `target-${number}`,
  };
}

test('a binding is the prefix and 22 base64url characters, and stands for what was bound as it was then', () => {
  const bindings = new Bindings({ random: seededRandom(1) });
  const mutable = { ...observed(1) };
  const handle = bindings.bind(mutable);
  mutable.tool = 'another';
  assert.match(handle, /^wc_pbind_[A-Za-z0-9_-]{22}$/);
  assert.deepEqual(bindings.resolve(handle), observed(1));
  assert.equal(Object.isFrozen(bindings.resolve(handle)), true);
  bindings.forget(handle);
  bindings.forget(handle);
  assert.equal(bindings.resolve(handle), undefined);
  assert.equal(bindings.size, 0);
});

test('randomness that repeats itself never moves a binding to something else', () => {
  const bindings = new Bindings({ random: (count) => new Uint8Array(count) });
  const handle = bindings.bind(observed(1));
  assert.throws(() => bindings.bind(observed(2)), { message: 'the source of randomness repeats itself' });
  assert.deepEqual(bindings.resolve(handle), observed(1));
});

test('a binding never resolves to anything other than what was described; at 512 the oldest goes', () => {
  const step = fc.oneof(
    fc.record({ do: fc.constant('bind' as const), number: fc.nat(1_000) }),
    fc.record({ do: fc.constant('forget' as const), number: fc.nat(1_000) }),
    fc.record({ do: fc.constant('many' as const), number: fc.integer({ min: 1, max: 300 }) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), fc.nat(), (steps, seed) => {
      const bindings = new Bindings({ random: seededRandom(seed) });
      const model = new Map<string, number>();
      const everMade: string[] = [];
      const bind = (number: number) => {
        const handle = bindings.bind(observed(number));
        assert.equal(everMade.includes(handle), false);
        everMade.push(handle);
        model.set(handle, number);
        if (model.size > 512) model.delete([...model.keys()][0] ?? '');
      };
      for (const { do: what, number } of steps) {
        if (what === 'bind') bind(number);
        else if (what === 'many') for (let more = 0; more < number; more += 1) bind(more);
        else {
          const handle = everMade[number % Math.max(1, everMade.length)] ?? 'wc_pbind_none';
          bindings.forget(handle);
          model.delete(handle);
        }
      }
      assert.equal(bindings.size, model.size);
      for (const handle of everMade) {
        const number = model.get(handle);
        assert.deepEqual(bindings.resolve(handle), number === undefined ? undefined : observed(number));
      }
    }),
    { numRuns: 60 },
  );
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
  const where = observed(1);
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
