import { completed, type Json, type JsonObject, type Outcome } from '@fairlead/base';
import {
  Bindings,
  type Caller,
  createTools,
  digestKey,
  type Invocation,
  observed,
  type Principal,
  type RunnerEvents,
  type RunnerPort,
  Settler,
  type VisibleRunner,
} from '@fairlead/dispatch';
import { defineExtension } from '@fairlead/extension';
import { waitFor } from '@fairlead/testing';
import { createClientPorts } from '../../src/clients/client-ports.ts';
import { type HostRoom, type HostRoomOptions, hostRoom } from '../host/host-room.ts';

type Test = Parameters<typeof hostRoom>[0];
type Answer = Awaited<ReturnType<RunnerPort['request']>>;

export const CLIENT: Principal = {
  id: 'token:tok_client',
  scopes: ['plugin:inspect', 'plugin:invoke', 'plugin:manage', 'session:read', 'session:write'],
};

const MAY = { id: 'person:ada', scopes: ['session:approve'] };

/** What `plugin_tool` needs in a session. */
const PLUGINS = defineExtension({ name: 'plugins', version: '1.0.0', tools: {} });

/** A Runner `local` that answers as told. */
class OneRunner implements RunnerPort, RunnerEvents {
  connected: VisibleRunner[] = [
    { runner: 'local', instanceId: 'local-1', capabilities: ['native_tool_plugins'], projects: [] },
  ];
  readonly sent: string[] = [];
  answer: () => Answer | Promise<Answer> = () =>
    completed({ kind: 'tools_call', result: { content: [{ type: 'text', text: 'said' }] } });
  outcome: (call: string) => Answer = () => completed({ kind: 'outcome', call: '', state: 'never_seen' });

  runners(): readonly VisibleRunner[] {
    return this.connected;
  }

  async request(
    _runner: string,
    _instance: string,
    request: Parameters<RunnerPort['request']>[2],
  ): Promise<Outcome<never> | Answer> {
    if (request.kind === 'outcome') return this.outcome(request.call);
    this.sent.push(request.kind);
    if (request.kind === 'providers_list') return completed({ kind: 'providers_list', providers: [] });
    return await this.answer();
  }

  listen(): () => void {
    return () => {};
  }
}

/** Somebody who waits, and may go. */
export interface Waiter extends Caller {
  leave(): void;
  /** Their token ends. */
  end(): void;
}

export function waiter(): Waiter {
  const listeners = new Set<() => void>();
  let isLive = true;
  let isGone = false;
  const go = () => {
    isGone = true;
    for (const listener of [...listeners]) listener();
  };
  return {
    name: 'desk',
    isLive: () => isLive,
    onGone(listener) {
      if (isGone) listener();
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    leave: go,
    end: () => {
      isLive = false;
      go();
    },
  };
}

/** A host with the tools of a gateway over it. */
export interface ClientRoom extends HostRoom {
  readonly runner: OneRunner;
  readonly settler: Settler;
  call(tool: string, params: Json, more?: Asked): Promise<Invocation>;
  /** Through `call_runtime_tool` in a session. */
  inside(session: string, tool: string, args?: JsonObject, more?: Asked): Promise<Invocation>;
  /** A binding of `say` of `echo`. */
  bind(observation?: string): Promise<string>;
  /** The approval that is open, once there is one. */
  asked(): Promise<string>;
  approve(id: string): Promise<boolean>;
  deny(id: string): Promise<boolean>;
  /** `action certainty code` of every row. */
  journalled(): Promise<readonly string[]>;
}

interface Asked {
  readonly session?: string;
  readonly principal?: Principal;
  readonly caller?: Caller;
}

export async function clientRoom(t: Test, options: Partial<HostRoomOptions> = {}): Promise<ClientRoom> {
  const room = await hostRoom(t, {
    scripts: {},
    ...options,
    extensions: (prepared) => [PLUGINS, ...(options.extensions?.(prepared) ?? [])],
  });
  const { store, random } = room.floor;
  const clock = options.clock ?? room.floor.clock;
  const { journal, host } = room;
  const runner = new OneRunner();
  const ports = createClientPorts(host);
  const bindings = await Bindings.open({ store, clock, random });
  const settler = new Settler({ runners: runner, journal, sessions: ports.sessions });
  t.after(async () => {
    await settler[Symbol.asyncDispose]();
    await bindings[Symbol.asyncDispose]();
  });
  const tools = createTools({
    ...{ runners: runner, journal, bindings, settler, clock, random, ...ports },
    authority: options.authority ?? 'trusted_agent',
    digestKey: digestKey(new Uint8Array(32)),
  });
  const call: ClientRoom['call'] = async (name, params, { session, principal = CLIENT, caller } = {}) => {
    const tool = tools.find(({ definition }) => definition.name === name);
    if (tool === undefined) throw new Error(name);
    return await tool.invoke({
      params,
      principal,
      ...(session === undefined ? {} : { recordingSessionId: session }),
      ...(caller === undefined ? {} : { caller }),
    });
  };
  const decide = (decision: 'approve' | 'deny') => (id: string) =>
    host.approvals.decide(id, { decision, by: MAY, via: 'http' });
  return {
    ...room,
    ...{ runner, settler, call },
    inside: (session, tool, args = {}, more = {}) =>
      call('call_runtime_tool', { tool, arguments: args }, { ...more, session }),
    bind: async (observation = 'seen') =>
      await bindings.bind(
        observed({
          ...{ runner: 'local', runnerInstance: 'local-1', plugin: 'echo', providerInstance: 'p-1' },
          ...{ tool: 'say', observation, timeoutSecs: 30 },
        }),
        { type: 'object' },
      ),
    async asked() {
      await waitFor(async () => (await host.approvals.open()).length > 0, { what: 'the question' });
      return (await host.approvals.open())[0]?.id ?? '';
    },
    approve: decide('approve'),
    deny: decide('deny'),
    async journalled() {
      await journal.page({ limit: 1 });
      const rows = await store.read<Record<string, string | null>>(
        'SELECT action, certainty, code FROM journal ORDER BY seq',
      );
      return rows.map(({ action, certainty, code }) => [action, certainty, code].filter(Boolean).join(' '));
    },
  };
}

/** The parts of an invocation that most tests look at. */
export function gist({ certainty, error }: Invocation): readonly [string, string | undefined] {
  return [certainty, error?.code];
}
