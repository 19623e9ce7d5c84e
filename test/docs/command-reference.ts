import type { buildProgram } from '../../packages/cli/src/program.ts';

type Command = ReturnType<typeof buildProgram>;

/** `fairlead plugin call` → its arguments and flags as commander writes them, sorted. */
export type CommandList = Readonly<Record<string, readonly string[]>>;

/** Every command that does something. `--help` belongs to all of them and is left out. */
export function commandsOf(program: Command): CommandList {
  const found: Record<string, readonly string[]> = {};
  const visit = (command: Command, path: string): void => {
    if (command.commands.length === 0) {
      const flags = command.options.map((option) => option.flags);
      const values = command.registeredArguments.map((argument) => `<${argument.name()}>`);
      found[path] = [...values, ...flags].sort();
    }
    for (const child of command.commands) visit(child, `${path} ${child.name()}`);
  };
  visit(program, program.name());
  return sorted(found);
}

/** The same out of the reference page: a heading ``### `fairlead …` `` and below it a table whose rows begin with a flag. */
export function documentedCommands(text: string): CommandList {
  const found: Record<string, readonly string[]> = {};
  for (const section of text.split(/^(?=#{2,3} )/m)) {
    const command = /^### `(fairlead [^`<]+?)`/.exec(section)?.[1];
    if (command === undefined) continue;
    found[command] = [...section.matchAll(/^\| `(-[^`]+|<[^`]+>)`/gm)].map(([, flag = '']) => flag).sort();
  }
  return sorted(found);
}

function sorted(list: Record<string, readonly string[]>): CommandList {
  return Object.fromEntries(Object.entries(list).sort(([left], [right]) => (left < right ? -1 : 1)));
}
