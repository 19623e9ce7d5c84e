import { FairleadError, type JsonObject } from '@fairlead/base';
import { s } from '@fairlead/extension';
import { usageOf } from '@fairlead/extension/runtime';
import { columns } from './columns.ts';
import type { CommandAnswer } from './command-answer.ts';
import { refusal, shown, unknownCommand } from './command-fault.ts';
import { commandSet } from './command-set.ts';
import { elsewhere } from './elsewhere.ts';
import { form, type HostCall, type HostCommand } from './host-command.ts';

const help = form(
  {
    words: 'help',
    about: 'The commands of the host and of this session’s extensions; with a name, how that one is typed.',
    scope: 'session:read',
    args: { command: s.optional(s.string()) },
  },
  async (call, { command }) => {
    const own = call.commands.map(hostRow);
    const extensions = await extensionRows(call);
    if (command !== undefined) return oneCommand(command.replace(/^\//, ''), own, extensions);
    const rows = [
      ...own.map((row) => [`/${row.name}`, row.about]),
      ...extensions.map((row) => [`/${row.name}`, `${shown(row.about)} (${row.owner})`]),
    ];
    return { text: columns(rows), data: { host: own, extensions } };
  },
);

type HostRow = JsonObject & {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly about: string;
  readonly usage: string;
};

function hostRow({ name, aliases, about, forms }: HostCommand): HostRow {
  const usage = forms.map((one) => one.usage()).join('\n');
  return {
    name,
    aliases,
    about,
    usage,
    forms: forms.map(({ about: what, scope, ...one }) => ({ usage: one.usage(), about: what, scope })),
  };
}

type ExtensionRow = JsonObject & {
  readonly name: string;
  readonly owner: string;
  readonly about: string;
  readonly usage: string;
};

/** Commands of the session's own set; none where the session is not open, as a closed one is. */
async function extensionRows({ ports, session }: HostCall): Promise<readonly ExtensionRow[]> {
  try {
    await using set = await commandSet(ports, session);
    return [...set.commands.values()].map(({ name, owner, contribution, args }) => ({
      name,
      owner,
      about: contribution.about,
      usage: args === undefined ? `/${name}` : usageOf({ name, args }),
    }));
  } catch (error) {
    if (error instanceof FairleadError) return [];
    throw error;
  }
}

function oneCommand(
  name: string,
  own: readonly HostRow[],
  extensions: readonly ExtensionRow[],
): CommandAnswer {
  const host = own.find((row) => row.name === name || row.aliases.includes(name));
  if (host !== undefined) return { text: `${host.about}\n${host.usage}`, data: { ...host, owner: null } };
  const extension = extensions.find((row) => row.name === name);
  if (extension !== undefined)
    return {
      text: `${shown(extension.about)} (${extension.owner})\n${extension.usage}`,
      data: { ...extension },
    };
  const where = elsewhere(name);
  if (where !== undefined) return refusal('command_elsewhere', `/${name}: ${where}`);
  return unknownCommand(
    name,
    [...own, ...extensions].map((row) => row.name),
  );
}

export const helpCommand: HostCommand = {
  name: 'help',
  aliases: ['h', '?'],
  about: help.about,
  forms: [help],
};
