import { FairleadError } from '@fairlead/base';
import type { CommandAnswer } from '../../../packages/host/src/commands/command-answer.ts';
import { reservedNames } from '../../../packages/host/src/commands/command-table.ts';
import type { CommandPorts } from '../../../packages/host/src/commands/ports.ts';
import { runHostCommand } from '../../../packages/host/src/commands/run-host-command.ts';
import { RunningCommands } from '../../../packages/host/src/commands/running-commands.ts';
import { LeakDetector } from '../../../packages/host/src/leaks/leak-detector.ts';
import { hold, type Target } from '../engine/target.ts';

/** What only changes, by room and method: nobody who may only read gets there. */
const CHANGES: ReadonlySet<string> = new Set([
  ...['create', 'rename', 'setModel', 'setBurst', 'attach', 'detach', 'setHost', 'close', 'reopen'].map(
    (method) => `sessions.${method}`,
  ),
  ...[
    'newSession',
    'closeSession',
    'continueTurn',
    'cancel',
    'pause',
    'resume',
    'compact',
    'reloadAgents',
  ].map((method) => `host.${method}`),
  ...['agents.create', 'peer.drop', 'peer.transaction', 'hub.unloadAgent', 'approvals.decide'],
  ...[
    'settings.save',
    'settings.unset',
    'database.commit',
    'table.append',
    'latest.put',
    'doc.set',
    'doc.clear',
  ],
]);

const ALL = ['session:read', 'session:write', 'session:approve', 'admin'];

/** An input is a line. No room stands behind it: each says which method was asked for, and refuses. */
export const target: Target = {
  name: 'host-commands',
  holds:
    'a line is answered with text or a code, the usage where it does not fit; without a right nothing is asked of any room, and who may read changes nothing',
  covers: ['packages/host/src/commands', 'packages/hub/src/extensions-command'],
  form: 'text',
  maxBytes: 10_000,
  words: [
    ...reservedNames().map((name) => `/${name} `),
    '--all',
    '--name=',
    "''",
    '"agent"',
    '={}',
    'a,b',
    'apr_AAAA',
  ],
  seeds: () => [
    '/agent new eve model=local/small tools=a,b max_iterations=3',
    '/agent set ann grants {"fs": {"read": ["/tmp"]}}',
    '/agent set ann system_prompt "Be short."',
    '/model ann local/small',
    '/approvals approve apr_AAAAAAAA',
    `/extensions 'set' a key {"b": 1}`,
    '/extensions "add" a "agent"',
    '/new duo --name "a b" --agents c',
    '/help /agent',
    '/greet "a b" --loud',
  ],
  open: async () => ({
    async run(input) {
      const line = Buffer.from(input).toString();
      const none = await answered(line, []);
      hold('error' in none.answer, 'without a right no line is done');
      hold(none.asked.every(isWayIn), 'without a right nothing is asked of any room');
      const reader = await answered(line, ['session:read']);
      hold(!reader.asked.some((what) => CHANGES.has(what)), 'who may read changes nothing', () =>
        reader.asked.join(),
      );
      await answered(line, ALL);
    },
  }),
};

/** Finding the session is no command yet. */
function isWayIn(what: string): boolean {
  return ['sessions.open', 'sessions.hold', 'sessions.meta'].includes(what);
}

async function answered(
  line: string,
  scopes: readonly string[],
): Promise<{ readonly answer: CommandAnswer; readonly asked: readonly string[] }> {
  const asked: string[] = [];
  const answer = await runHostCommand(portsOf(asked), {
    session: 'ses_1',
    line,
    by: { id: 'person:1', scopes },
  });
  if ('error' in answer) {
    const { code, message, usage } = answer.error;
    hold(/^[a-z_]+$/.test(code), 'a refusal has a code');
    hold(
      message !== '' && message.length < 1_300 && !/\p{Cc}/u.test(message),
      'a refusal has words of one line',
    );
    hold(code !== 'command_usage' || usage?.startsWith('/') === true, 'a line that does not fit has a usage');
  } else hold(typeof answer.text === 'string', 'an answer has a text');
  hold(JSON.stringify(answer).length < 1_000_000, 'an answer has a bound');
  return { answer, asked };
}

/** Rooms that hold nothing: what is asked of them is noted and refused with a code, but for what the way in needs. */
function portsOf(asked: string[]): CommandPorts {
  const room = (name: string, has: object = {}): object =>
    new Proxy(has, {
      get(members: Readonly<Record<string, unknown>>, key) {
        if (typeof key === 'symbol' || key === 'then') return undefined;
        const what = `${name}.${key}`;
        const member = members[key];
        if (member !== undefined && typeof member !== 'function') return member;
        return (...args: readonly unknown[]) => {
          asked.push(what);
          if (typeof member === 'function') return member(...args) as unknown;
          return Promise.reject(new FairleadError('nothing_here', `${what} has nothing`));
        };
      },
    });
  const tables = { table: () => room('table'), latest: () => room('latest'), doc: () => room('doc') };
  const database = room('database', { root: 'ses_1', ...tables });
  const directory = room('directory', {
    resolve: async () => ({ id: 'agt_1', name: 'ann' }),
    open: async () => database,
  });
  const meta = {
    ...{ mode: 'normal', created: 0, closed: false, host: 'agt_1', models: new Map() },
    agents: [{ id: 'agt_1', name: 'ann' }],
  };
  const ports = {
    peer: room('peer', { peerId: 'peer' }),
    store: room('store'),
    clock: room('clock'),
    agents: room('agents', {
      directory: directory,
    }),
    sessions: room('sessions', {
      open: async () => database,
      hold: async () => ({ database, [Symbol.dispose]: () => {} }),
      meta: async () => meta,
    }),
    models: { list: () => [], refs: ['local/small'], default: undefined },
    ledger: room('ledger'),
    approvals: room('approvals'),
    state: { pausedAtMs: null },
    hub: room('hub', {
      commandPorts: room('commandPorts', {
        peerId: 'peer',
        settings: room('settings'),
        agents: directory,
        clock: room('clock'),
        failures: () => [],
        waiting: async () => [],
        installed: () => [],
        failed: () => [],
      }),
    }),
    groups: new Map([['duo', ['ann']]]),
    ceilings: [],
    leaks: new LeakDetector(),
    running: new RunningCommands(),
    policy: { leak: 'redact' },
    host: room('host', { openSession: async () => {}, running: () => undefined }),
  };
  return ports as unknown as CommandPorts;
}
