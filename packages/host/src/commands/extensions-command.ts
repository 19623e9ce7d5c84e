import { splitWords } from '@fairlead/extension/runtime';
import { extensionsCommand as ofHub } from '@fairlead/hub';
import type { CommandAnswer } from './command-answer.ts';
import { hostAgentOf } from './command-set.ts';
import {
  type CommandScope,
  type HostCall,
  type HostCommand,
  type HostForm,
  requireScope,
} from './host-command.ts';

const USAGES = [
  ['', '/extensions [list]', 'Which extensions are on here, and what is wrong with them.', 'session:read'],
  ['list', '/extensions list', 'The same.', 'session:read'],
  ['add', '/extensions add <name> [session|agent]', 'Turns one on.', 'session:write'],
  ['remove', '/extensions remove <name> [session|agent]', 'Turns one off.', 'session:write'],
  [
    'settings',
    '/extensions settings <name>',
    'Its settings here, and where each comes from.',
    'session:read',
  ],
  ['set', '/extensions set <name> <key> <value…>', 'Changes a setting in this session.', 'session:write'],
  ['unset', '/extensions unset <name> <key>', 'Takes a setting of this session away.', 'session:write'],
  ['history', '/extensions history [name] [session|agent]', 'Who switched what.', 'session:read'],
] as const satisfies readonly (readonly [string, string, string, CommandScope])[];

/** The hub knows what its words mean; it parses them itself, because JSON has quotes of its own. */
function formOf([sub, usage, about, scope]: (typeof USAGES)[number]): HostForm {
  return {
    sub,
    about,
    scope,
    usage: () => usage,
    // Also a word that is no sub-command: the hub answers it with the nearest one.
    takesWords: () => sub === '',
    run: (call, rest) => run(call, `${sub} ${rest}`.trim()),
  };
}

async function run(call: HostCall, rest: string): Promise<CommandAnswer> {
  const { ports, database, session, meta } = call;
  const split = splitWords(rest);
  const [sub, , target] = split.ok ? split.words.map(({ text }) => text) : [];
  // Asked of the words as the hub reads them.
  const form = USAGES.find(([known]) => known === sub);
  if (form !== undefined) requireScope(call, form[3]);
  // An agent's own switch holds in every session that it is in.
  if ((sub === 'add' || sub === 'remove') && target === 'agent') requireScope(call, 'admin');
  // A session that nobody has opened yet does not say what is on in it.
  if (!meta.closed) await ports.host.openSession(session);
  const agent = await hostAgentOf(ports, session);
  return await ofHub(ports.hub.commandPorts, rest, {
    session: database,
    ...(agent === undefined ? {} : { agent }),
  });
}

/** `/extensions`: of the host and of no extension, so that nothing that is switched off can take it away. */
export const extensionsCommand: HostCommand = {
  name: 'extensions',
  aliases: ['extension', 'ext'],
  about: USAGES[0][2],
  forms: USAGES.map(formOf),
};
