import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { Json } from '@fairlead/base';
import type { Extension } from '@fairlead/extension';
import { builtinSource, type Hub, openHub } from '@fairlead/hub';
import { hygiene } from '@fairlead/testing';
import type { ApprovalRequest } from '../../src/approvals/approval-request.ts';
import { Approvals } from '../../src/approvals/approvals.ts';
import type { CommandAnswer } from '../../src/commands/command-answer.ts';
import type { CommandHost, CommandPorts, RunningTurn } from '../../src/commands/ports.ts';
import { runHostCommand } from '../../src/commands/run-host-command.ts';
import { RunningCommands } from '../../src/commands/running-commands.ts';
import { LeakDetector } from '../../src/leaks/leak-detector.ts';
import type { BackendLine } from '../../src/models/models.ts';
import { HostState } from '../../src/sessions/host-state.ts';
import { OwedWrites } from '../../src/sessions/owed-writes.ts';
import { UsageLedger } from '../../src/usage/usage-ledger.ts';
import { type Room, room } from '../sessions/session-room.ts';

const OFF = { tokens: 0, nanousd: 0 };

const BACKENDS: readonly BackendLine[] = [
  {
    name: 'local',
    type: 'openai_compatible',
    baseUrl: 'http://127.0.0.1:1234/v1',
    key: 'missing',
    models: [
      { name: 'small', contextWindow: 8192, tools: true },
      { name: 'large', contextWindow: 131_072, tools: false },
    ],
    unpriced: ['small'],
  },
  { name: 'told', type: 'scripted', file: '/home/ada/script.json', key: 'none', models: [], unpriced: [] },
];

/** Every scope that a command may ask for. */
const OPERATOR = ['session:read', 'session:write', 'session:approve', 'admin'] as const;

/** A session of `ann`, with `bob` beside it on the same host, and everything that commands need. */
export interface CommandRoom extends Room {
  readonly ports: CommandPorts;
  readonly hub: Hub;
  readonly approvals: Approvals;
  readonly ledger: UsageLedger;
  readonly state: HostState;
  readonly session: string;
  readonly ann: string;
  readonly bob: string;
  /** What the facade was asked, in order. */
  readonly asked: string[];
  /** What the facade answers, or throws, where that is not the usual. */
  readonly facade: { throws?: unknown; running?: RunningTurn };
  run(line: string, options?: { session?: string; scopes?: readonly string[] }): Promise<CommandAnswer>;
  /** The text and data of a line that is done. */
  done(
    line: string,
    session?: string,
  ): Promise<{ text: string; data: Json | undefined; open?: string; quit?: true }>;
  /** `code: message` of a line that is refused, and behind it the usage, where one is told. */
  refused(line: string, scopes?: readonly string[]): Promise<string>;
  approvalOf(over?: Partial<ApprovalRequest>): ApprovalRequest;
}

export async function commandRoom(
  t: TestContext,
  options: {
    readonly extensions?: readonly Extension[];
    readonly authority?: 'trusted_agent' | 'restricted';
    readonly secrets?: readonly string[];
    readonly leak?: 'redact' | 'block';
  } = {},
): Promise<CommandRoom> {
  hygiene(t);
  const made = await room(t);
  const { peer, store, clock, agents, sessions, host } = made;
  const { id: ann } = await agents.create('ann');
  const { id: bob } = await agents.create('bob', { model: 'local/large' });
  const sources = (options.extensions ?? []).map((extension) =>
    builtinSource(extension, { version: '1.0.0', clock }),
  );
  const hub = await openHub({ peer, store, clock, agents: agents.directory, sources, report: () => {} });
  t.after(() => hub.close());
  const approvals = new Approvals(made, host.random, { authority: options.authority ?? 'trusted_agent' });
  t.after(() => approvals.close());
  const settings = { ceilings: { turn: OFF, session: OFF, agentDay: OFF, day: OFF }, zone: 'UTC' };
  const ledger = await UsageLedger.open({ store, owed: new OwedWrites(clock), clock, settings });
  const state = await HostState.open(store);
  const session = await sessions.create({ agents: ['ann'] });
  const asked: string[] = [];
  const facade: CommandRoom['facade'] = {};
  const ask = (what: string): void => {
    asked.push(what);
    if (facade.throws !== undefined) throw facade.throws;
  };
  const commandHost: CommandHost = {
    newSession: async (wanted) => {
      ask('newSession');
      return await sessions.create(wanted);
    },
    openSession: async (id) => void (await hub.openSession(id)),
    closeSession: async (id) => {
      ask('closeSession');
      await hub.closeSession(id);
      await sessions.close(id);
    },
    continueTurn: async () => {
      ask('continueTurn');
      return { turn: 'trn_2' };
    },
    cancel: async () => {
      ask('cancel');
      return facade.running !== undefined;
    },
    pause: async () => {
      ask('pause');
      return await state.pause(clock.wallMs());
    },
    resume: async () => {
      ask('resume');
      return await state.resume();
    },
    compact: async (_session, { signal }) => {
      ask(signal === undefined ? 'compact' : 'compact with a signal');
      return { summary: 'They greeted.', upto: 'a:1:0', entries: 2 };
    },
    running: () => facade.running,
    reloadAgents: async (agent) => {
      ask(`reloadAgents ${agent ?? '*'}`);
      const changed = { agent: ann, name: 'ann', created: false, written: ['tools'], unread: ['rules.md'] };
      return [changed, { agent: bob, name: 'bob', created: true, written: [], unread: [] }];
    },
  };
  const ports: CommandPorts = {
    ...{ peer, store, clock, agents, sessions, ledger, approvals, state, hub, host: commandHost },
    models: { list: () => BACKENDS, refs: ['local/small', 'local/large'], default: 'local/small' },
    groups: new Map([['duo', ['ann', 'bob']]]),
    leaks: new LeakDetector(options.secrets ?? []),
    running: new RunningCommands(),
    policy: { leak: options.leak ?? 'redact' },
    ceilings: ['A turn stops at 2.00 USD.'],
  };
  const run: CommandRoom['run'] = async (line, { session: where = session, scopes = OPERATOR } = {}) =>
    await runHostCommand(ports, { session: where, line, by: { id: 'person:tok_1', scopes } });
  return {
    ...made,
    ...{ ports, hub, approvals, ledger, state, session, ann, bob, asked, facade, run },
    async done(line, where = session) {
      const answer = await run(line, { session: where });
      assert.ok(!('error' in answer), JSON.stringify(answer));
      const { text, data, ...more } = answer;
      return { text, data, ...more };
    },
    async refused(line, scopes = OPERATOR) {
      const answer = await run(line, { scopes });
      assert.ok('error' in answer, JSON.stringify(answer));
      const { code, message, usage } = answer.error;
      return `${code}: ${message}${usage === undefined ? '' : `\n${usage}`}`;
    },
    approvalOf: (over = {}) => ({
      ...{
        principal: `agent:${ann}`,
        session,
        target: 'ext:core/shell#d',
        digest: 'd1',
        call: 'call_1',
        tool: 'shell',
      },
      ...{
        extension: 'core',
        risk: 'high',
        arguments: { command: 'ls' },
        shown: { workspace: '/w', tier: 'in_process' },
      },
      ...over,
    }),
  };
}
