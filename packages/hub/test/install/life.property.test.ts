import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { FakeCarrier } from '../fake-extension.ts';
import { contributionsOf, FakeExtension, manifestOf } from '../fake-extension.ts';
import { type RegistryFloor, registryFloor, session } from '../registry-floor.ts';

const NAMES = ['a', 'b', 'c', 'd'] as const;
const SCOPES = ['ses_1', 'ses_2', 'ses_3'].map(session);

type Health = 'well' | 'no start' | 'no manifest' | 'no cap' | 'no open' | 'hangs';
type Step =
  | {
      readonly do: 'install' | 'replace';
      readonly name: string;
      readonly health: Health;
      readonly digest: string;
    }
  | { readonly do: 'unload' | 'die' | 'begin' | 'end'; readonly name: string }
  | {
      readonly do: 'ensure' | 'narrow' | 'pin' | 'close';
      readonly scope: number;
      readonly names: readonly string[];
    }
  | { readonly do: 'advance'; readonly ms: number }
  | { readonly do: 'rest'; readonly turns: number };

const name = fc.constantFrom(...NAMES);
const health = fc.oneof(
  { weight: 5, arbitrary: fc.constant<Health>('well') },
  { weight: 3, arbitrary: fc.constantFrom<Health>('no start', 'no manifest', 'no cap', 'no open', 'hangs') },
);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('install' as const),
      name,
      health,
      digest: fc.constantFrom('d1', 'd2'),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('replace' as const),
      name,
      health,
      digest: fc.constantFrom('d1', 'd2'),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constantFrom('unload' as const, 'die' as const, 'begin' as const, 'end' as const),
      name,
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constantFrom(
        'ensure' as const,
        'ensure' as const,
        'narrow' as const,
        'pin' as const,
        'close' as const,
      ),
      scope: fc.nat(SCOPES.length - 1),
      names: fc.subarray([...NAMES]),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('advance' as const),
      ms: fc.constantFrom(500, 1000, 5000, 40_000),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('rest' as const), turns: fc.integer({ min: 1, max: 4 }) }),
  },
);

const turn = () => new Promise(setImmediate);

/** Four extensions with a global and a session part, whose health a step decides. */
class World {
  readonly floor: RegistryFloor;
  readonly extensions = new Map<string, FakeExtension>();
  readonly health = new Map<string, Health>();
  readonly died = new Set<FakeCarrier>();
  readonly ends = new Map<string, (() => void)[]>();
  readonly unpins: (() => void)[] = [];
  readonly running: Promise<unknown>[] = [];
  /** Names in the order in which they were installed, by the calls alone. */
  expected: string[] = [];

  constructor(floor: RegistryFloor) {
    this.floor = floor;
    for (const called of NAMES) {
      const extension = new FakeExtension(called, { scopes: ['global', 'session'] });
      extension.onStart = async () => {
        await turn();
        if (this.health.get(called) === 'no start') throw new Error('it does not start');
      };
      extension.onOpen = async ({ kind }) => {
        await turn();
        const now = this.health.get(called);
        if (now === 'no open') throw new Error('it does not open');
        if (now === 'hangs') await new Promise(() => {});
        return contributionsOf(extension.manifest, kind);
      };
      extension.onClose = async () => {
        await turn();
      };
      this.extensions.set(called, extension);
    }
  }

  #of(called: string): FakeExtension {
    const extension = this.extensions.get(called);
    assert.ok(extension !== undefined);
    return extension;
  }

  async take(next: Step): Promise<void> {
    const { registry, instances, clock } = this.floor;
    switch (next.do) {
      case 'install':
      case 'replace': {
        const extension = this.#of(next.name);
        this.health.set(next.name, next.health);
        extension.manifest = manifestOf(next.name, {
          scopes: ['global', 'session'],
          requires: next.health === 'no cap' ? [{ kind: 'messenger' }] : [],
        });
        if (next.health === 'no manifest') extension.manifest = { ...extension.manifest, scopes: [] };
        const source = extension.source({ digest: next.digest });
        if (next.do === 'install') {
          if (!this.expected.includes(next.name)) this.expected.push(next.name);
          this.running.push(registry.install([source]));
        } else this.running.push(registry.replace(next.name, source));
        break;
      }
      case 'unload':
        this.expected = this.expected.filter((called) => called !== next.name);
        this.running.push(registry.unload(next.name).then(({ drained }) => drained));
        break;
      case 'die': {
        const carrier = this.#of(next.name).generations.at(-1);
        if (carrier === undefined || carrier.dead !== undefined) break;
        this.died.add(carrier);
        carrier.die();
        break;
      }
      case 'begin': {
        const end = this.#of(next.name).generations.at(-1)?.begin();
        if (end !== undefined) this.ends.set(next.name, [...(this.ends.get(next.name) ?? []), end]);
        break;
      }
      case 'end':
        for (const end of this.ends.get(next.name) ?? []) end();
        this.ends.delete(next.name);
        break;
      case 'advance':
        await clock.advance(next.ms);
        break;
      case 'rest':
        for (let turns = 0; turns < next.turns; turns += 1) await turn();
        break;
      default: {
        const scope = SCOPES[next.scope];
        assert.ok(scope !== undefined);
        if (next.do === 'ensure') this.running.push(instances.ensure(scope, new Set(next.names)));
        else if (next.do === 'narrow') this.running.push(instances.narrow(scope, new Set(next.names)));
        else if (next.do === 'close') this.running.push(instances.close(scope));
        else if (this.unpins.length < 3) this.unpins.push(instances.pin(scope));
        else for (const unpin of this.unpins.splice(0)) unpin();
      }
    }
  }

  /** What holds at every moment. */
  check(): void {
    const { registry, instances, roster } = this.floor;
    const all = registry.all();
    assert.deepEqual(
      all.map(({ order }) => order),
      all.map(({ order }) => order).sort((one, other) => one - other),
    );
    const listed = [...all, ...registry.failed()].map((one) => one.name);
    assert.equal(new Set(listed).size, listed.length, 'a name is listed once');
    for (const scope of ['global', ...SCOPES] as const) {
      const open = instances.of(scope);
      for (const instance of open) {
        assert.equal(instance.extension, registry.get(instance.extension.name), 'its generation is in force');
        assert.equal(instance.gone, undefined);
        assert.equal(instances.find(instance.id), instance);
      }
      const orders = open.map(({ extension }) => roster.orderOf(extension.name) ?? 0);
      assert.deepEqual(
        orders,
        [...new Set(orders)].sort((one, other) => one - other),
        'install order, each extension once',
      );
    }
  }

  /** Lets everything settle; what hangs is given up. */
  async settle(): Promise<void> {
    for (const ends of this.ends.values()) for (const end of ends) end();
    this.ends.clear();
    for (const unpin of this.unpins.splice(0)) unpin();
    let pending = true;
    void Promise.allSettled(this.running).then(() => {
      pending = false;
    });
    for (let rounds = 0; rounds < 50 && pending; rounds += 1) {
      await this.floor.clock.advance(10_000);
      for (let turns = 0; turns < 20; turns += 1) await turn();
    }
    assert.equal(pending, false, 'everything that was asked for has an end');
    // What was started again meanwhile has its time as well.
    await this.floor.clock.advance(1000);
    await this.floor.clock.advance(40_000);
  }

  /** What holds when nothing is under way. */
  checkSettled(): void {
    const { registry, roster, instances, failures } = this.floor;
    const listed = [...registry.all(), ...registry.failed()].map((one) => one.name);
    assert.deepEqual(
      listed.sort((one, other) => (roster.orderOf(one) ?? 0) - (roster.orderOf(other) ?? 0)),
      this.expected,
      'order is the order of installs',
    );
    const open = instances.of('global').map(({ extension }) => extension.name);
    for (const { name: called, gone } of registry.all())
      if (gone === undefined && failures.of(called, 'global', '') === undefined)
        assert.ok(open.includes(called), `${called} has its global instance`);
    for (const [called, { generations }] of this.extensions)
      for (const carrier of generations) {
        const inForce = registry.get(called)?.carrier === carrier;
        if (!inForce) assert.equal(carrier.instances.size, 0, 'nothing of an ended generation is open');
      }
  }

  /** What holds when the hub is closed. */
  async checkClosed(): Promise<void> {
    const { registry, instances, clock, reports } = this.floor;
    await registry.close();
    for (const { generations } of this.extensions.values())
      for (const carrier of generations) {
        assert.equal(carrier.instances.size, 0, 'everything that was opened is closed');
        if (!this.died.has(carrier)) assert.equal(carrier.ended, 1, 'a generation ends once');
      }
    // A fake carrier refuses to close what is not open.
    assert.deepEqual(
      reports.filter(({ reason }) => reason.includes('is closed twice')),
      [],
    );
    for (const scope of ['global', ...SCOPES] as const) assert.deepEqual(instances.of(scope), []);
    for (let turns = 0; turns < 5; turns += 1) await turn();
    assert.equal(clock.pendingTimers, 0);
  }
}

test('whatever happens in whatever order: no ended instance is listed, everything opened is closed once, order is install order', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60, size: 'max' }), fc.boolean(), async (steps, abrupt) => {
      const world = new World(await registryFloor(undefined, { maxInstances: 6 }));
      for (const next of steps) {
        await world.take(next);
        world.check();
      }
      if (!abrupt) {
        await world.settle();
        world.check();
        world.checkSettled();
      }
      const ended = Promise.allSettled(world.running);
      await world.checkClosed();
      await ended;
    }),
    { numRuns: 150 },
  );
});
