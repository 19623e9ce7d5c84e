import type { JsonObject } from '@fairlead/base';
import type { Envelope } from '../outcome.ts';
import { settled } from '../outcome.ts';
import type { SoakWorld, ToolName } from '../soak-world.ts';
import type { Action } from './action.ts';

const targets: readonly (ToolName & { readonly given: JsonObject })[] = [
  { runner: 'near', plugin: 'counting', tool: 'count', given: { note: 'soak' } },
  { runner: 'far', plugin: 'counting', tool: 'count', given: { note: 'soak' } },
  { runner: 'near', plugin: 'sdk-echo', tool: 'echo', given: { text: 'soak '.repeat(40) } },
  { runner: 'near', plugin: 'raw-node', tool: 'add', given: { a: 20, b: 22 } },
  { runner: 'near', plugin: 'safe-delete', tool: 'safe_delete', given: { path: 'absent' } },
];

/** Makes one call of `target` through `send`, describing it before where that is needed. */
async function callOnce(
  world: SoakWorld,
  lane: number,
  { given, ...target }: ToolName & { readonly given: JsonObject },
  send: (params: JsonObject) => Promise<Envelope>,
): Promise<void> {
  const binding = await world.binding(lane, target);
  if (binding !== null) world.took(target, await send({ action: 'call', binding, arguments: given }));
}

export const calls: readonly Action[] = [
  {
    name: 'call over HTTP',
    weight: 60,
    async run(world, { random, lane }) {
      await callOnce(world, lane, random.pick(targets), (params) => world.plugin(lane, params));
    },
  },
  {
    name: 'call over MCP, stdio',
    weight: 12,
    async run(world, { random, lane }) {
      await callOnce(world, lane, random.pick(targets), (params) => world.overMcp(world.mcp.client, params));
    },
  },
  {
    name: 'git_summary',
    weight: 1,
    async run(world, { lane }) {
      const target = { runner: 'near', plugin: 'repo-info', tool: 'git_summary', given: {} };
      await callOnce(world, lane, target, (params) => world.plugin(lane, params));
    },
  },
  {
    name: 'list',
    weight: 8,
    async run(world, { lane }) {
      settled(world.tally, 'list', await world.plugin(lane, { action: 'list', runner: 'near' }));
    },
  },
  {
    name: 'describe',
    weight: 8,
    async run(world, { random, lane }) {
      const { given: _, ...target } = random.pick(targets);
      world.forget(target);
      await world.binding(lane, target);
    },
  },
];
