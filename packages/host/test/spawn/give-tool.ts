import type { JsonObject } from '@fairlead/base';
import { s } from '@fairlead/extension';
import { definerFor } from '@fairlead/extension/builtin';
import type { HostPeer } from '../../src/host/host-peer.ts';
import type { SpawnEnd } from '../../src/spawn/spawn.ts';
import type { HostRoom } from '../host/host-room.ts';

/** What became of every task that `give` gave, in their order. */
export const ends: SpawnEnd[] = [];

/** `give` hands a task on, as the built-in tools do; it says what became of it. */
export const give = definerFor<HostPeer>()({
  name: 'give',
  version: '1.0.0',
  open: (scope) => scope.peer,
  tools: {
    give: {
      about: 'Gives a task away.',
      args: {
        kind: s.enum(['agent', 'worker'], { default: 'worker' }),
        name: s.string(),
        task: s.string({ default: 'the task' }),
        tools: s.optional(s.array(s.string())),
        model: s.optional(s.string()),
        async: s.boolean({ default: false }),
      },
      // It changes nothing itself, so that it can be called in a session that only reads.
      effect: 'read',
      async run(args, { state, session, agent, signal }) {
        const { kind, name, task, tools, model, async } = args;
        const end = await state.spawn(
          { session: session?.id ?? '', agent: agent?.id ?? '', tool: 'give', args },
          {
            ...{ kind, name, task, async, signal },
            ...(tools === undefined ? {} : { tools }),
            ...(model === undefined ? {} : { model }),
          },
        );
        ends.push(end);
        return `${end.certainty} ${end.code ?? 'fine'}: ${end.text}`;
      },
    },
  },
});

export const calls = (...given: readonly JsonObject[]) => ({
  calls: given.map((args) => ({ tool: 'give', arguments: args })),
});

/** A turn of a script that gives tasks, and says so. */
export const gives = (...given: readonly JsonObject[]) => ({ steps: [calls(...given), { text: 'Given.' }] });

/** The sessions that were made for tasks of a session, in their order. */
export async function childrenOf(room: HostRoom, parent: string): Promise<readonly string[]> {
  const lines = await room.host.sessions.list({ closed: true });
  const children = lines.filter(({ meta }) => meta.parent?.session === parent);
  return children.toSorted((left, right) => left.meta.created - right.meta.created).map(({ id }) => id);
}

export async function onlyChild(room: HostRoom, parent: string): Promise<string> {
  const [child, ...others] = await childrenOf(room, parent);
  if (child === undefined || others.length > 0) throw new Error(`${others.length} other children`);
  return child;
}
