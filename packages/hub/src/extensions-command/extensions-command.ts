import { splitWords } from '@fairlead/extension/runtime';
import type { CommandAnswer, CommandPlace } from './command-answer.ts';
import { extensionRows } from './extension-rows.ts';
import { showHistory } from './history-command.ts';
import { listText } from './list-text.ts';
import type { ExtensionsPorts } from './ports.ts';
import { setSetting, showSettings, unsetSetting } from './settings-command.ts';
import { switchExtension, type Target } from './switch-command.ts';
import { isSubCommand, type SubCommand, unknownSubCommand, usageFault } from './usage.ts';

/**
 * `/extensions`: what is on in a session, and its switches and settings. It belongs to the host and to no extension, so that
 * nothing that is switched off can take it away. `rest` is what stands behind the command's name. What is refused is an answer
 * with a code; it rejects with a fault of the host alone.
 */
export async function extensionsCommand(
  ports: ExtensionsPorts,
  rest: string,
  place: CommandPlace,
): Promise<CommandAnswer> {
  const split = splitWords(rest);
  if (!split.ok) return usageFault('list', split.message);
  const [sub = 'list', ...words] = split.words.map(({ text }) => text);
  if (!isSubCommand(sub)) return unknownSubCommand(sub);
  try {
    return await run(ports, place, { sub, words, rest });
  } catch (error) {
    if (error instanceof Error && 'code' in error && typeof error.code === 'string')
      return { error: { code: error.code, message: error.message } };
    throw error;
  }
}

interface Line {
  readonly sub: SubCommand;
  readonly words: readonly string[];
  readonly rest: string;
}

async function run(
  ports: ExtensionsPorts,
  place: CommandPlace,
  { sub, words, rest }: Line,
): Promise<CommandAnswer> {
  const [name, second, ...more] = words;
  switch (sub) {
    case 'list':
      if (words.length > 0) return usageFault(sub, 'it takes no further word');
      return await list(ports, place);
    case 'add':
    case 'remove': {
      if (name === undefined) return usageFault(sub, 'name an extension');
      const target = targetOf(second ?? 'session');
      if (target === undefined || more.length > 0)
        return usageFault(sub, 'the last word is session or agent');
      return await switchExtension(ports, place, { name, on: sub === 'add', target });
    }
    case 'settings':
      if (name === undefined || second !== undefined) return usageFault(sub, 'name one extension');
      return await showSettings(ports, place, name);
    case 'set': {
      const text = valueText(rest);
      if (name === undefined || second === undefined || text === undefined)
        return usageFault(sub, 'name an extension, a key and a value');
      return await setSetting(ports, place, { name, key: second, text });
    }
    case 'unset':
      if (name === undefined || second === undefined || more.length > 0)
        return usageFault(sub, 'name an extension and one key');
      return await unsetSetting(ports, place, { name, key: second });
    case 'history':
      return await historyOf(ports, place, words);
  }
}

async function list(ports: ExtensionsPorts, place: CommandPlace): Promise<CommandAnswer> {
  const { rows, more } = await extensionRows(ports, place);
  const agent = place.agent === undefined ? null : { id: place.agent.id, name: place.agent.name };
  const data = JSON.parse(JSON.stringify({ session: place.session.root, agent, extensions: rows, more }));
  return { text: listText({ rows, more }, place.agent), data };
}

async function historyOf(
  ports: ExtensionsPorts,
  place: CommandPlace,
  words: readonly string[],
): Promise<CommandAnswer> {
  const last = targetOf(words.at(-1) ?? '');
  const [name, ...more] = last === undefined ? words : words.slice(0, -1);
  if (more.length > 0) return usageFault('history', 'name at most one extension');
  return await showHistory(ports, place, { name, target: last ?? 'session' });
}

function targetOf(word: string): Target | undefined {
  return word === 'session' || word === 'agent' ? word : undefined;
}

/** What stands behind `set NAME KEY` as it was typed: JSON has quotes of its own. */
function valueText(rest: string): string | undefined {
  const [, text] = /^\s*\S+\s+\S+\s+\S+\s+([\s\S]*\S)\s*$/.exec(rest) ?? [];
  return text;
}
