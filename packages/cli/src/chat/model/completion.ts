/** One way to type a command, as `/help` tells it: `/agent add <agent>`. */
export type CommandRow = {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly about: string;
  readonly usages: readonly string[];
};

/** What can be completed, as it was when it was last asked for. */
export type Names = {
  readonly commands: readonly CommandRow[];
  readonly sessions: readonly string[];
  readonly agents: readonly string[];
  readonly models: readonly string[];
  readonly extensions: readonly string[];
  readonly approvals: readonly string[];
  readonly groups: readonly string[];
};

export const noNames: Names = {
  commands: [],
  sessions: [],
  agents: [],
  models: [],
  extensions: [],
  approvals: [],
  groups: [],
};

/** A word that would fit. `start` to `end` of the text is what it takes the place of. */
export type Choice = {
  readonly text: string;
  readonly about: string;
  readonly start: number;
  readonly end: number;
};

/** What fits at the cursor: commands behind a slash, the names that their usage takes, agents behind `@`. */
export function choicesAt(text: string, cursor: number, names: Names): readonly Choice[] {
  const before = text.slice(0, cursor);
  if (before.includes('\n') || !before.startsWith('/')) return mentionsAt(text, cursor, names);
  const words = before.split(/ +/);
  const [first = ''] = words;
  if (words.length === 1) return commandsAt(first, cursor, names);
  const command = names.commands.find(
    ({ name, aliases }) => `/${name}` === first || aliases.some((alias) => `/${alias}` === first),
  );
  if (command === undefined) return [];
  const typed = words[words.length - 1] ?? '';
  const earlier = words.slice(1, -1);
  const found = new Map<string, string>();
  for (const usage of command.usages) {
    for (const word of wordsOf(usage, earlier, names)) if (!found.has(word)) found.set(word, usage);
  }
  return fitting([...found], typed, cursor);
}

function commandsAt(typed: string, cursor: number, { commands }: Names): readonly Choice[] {
  const rows = commands.map(({ name, about }) => [`/${name}`, about] as const);
  const found = fitting(rows, typed, cursor);
  if (found.length > 0) return found;
  const others = commands.flatMap(({ aliases, about }) =>
    aliases.map((alias) => [`/${alias}`, about] as const),
  );
  return fitting(others, typed, cursor);
}

function mentionsAt(text: string, cursor: number, { agents }: Names): readonly Choice[] {
  const typed = /(?:^|\s)(@[\w.-]*)$/.exec(text.slice(0, cursor))?.[1];
  if (typed === undefined) return [];
  return fitting(
    agents.map((agent) => [`@${agent}`, 'agent'] as const),
    typed,
    cursor,
  );
}

function fitting(
  rows: readonly (readonly [string, string])[],
  typed: string,
  cursor: number,
): readonly Choice[] {
  const wanted = typed.toLowerCase();
  return rows
    .filter(([word]) => word.toLowerCase().startsWith(wanted))
    .map(([text, about]) => ({ text, about, start: cursor - typed.length, end: cursor }));
}

/** The words that a usage takes behind those that were typed; none where they are not its own. */
function wordsOf(usage: string, earlier: readonly string[], names: Names): readonly string[] {
  const slots = usage.split(' ').slice(1);
  let place = 0;
  const options: string[] = [];
  const plain: string[] = [];
  for (let index = 0; index < slots.length; index += 1) {
    const slot = slots[index] ?? '';
    // `[--name <name>]` is one option of two words.
    if (/^\[?--/.test(slot)) {
      const option = /--[\w-]+/.exec(slot)?.[0];
      if (option !== undefined) options.push(option);
      if (!slot.endsWith(']') && !slot.endsWith(']…')) index += 1;
    } else plain.push(slot);
  }
  const given: string[] = [];
  for (let index = 0; index < earlier.length; index += 1) {
    const word = earlier[index] ?? '';
    if (!word.startsWith('--')) given.push(word);
    else if (takesValue(usage, word)) {
      if (index === earlier.length - 1) return valuesOf(valueSlot(usage, word), names);
      index += 1;
    }
  }
  for (const word of given) {
    const slot = plain[place];
    if (slot === undefined) return options;
    if (!/[<[|]/.test(slot) && slot !== word) return [];
    place += 1;
  }
  const slot = plain[place];
  return [...(slot === undefined ? [] : valuesOf(slot, names)), ...options];
}

function takesValue(usage: string, option: string): boolean {
  return usage.includes(`${option} <`);
}

function valueSlot(usage: string, option: string): string {
  return usage.slice(usage.indexOf(`${option} <`) + option.length + 1).split(' ')[0] ?? '';
}

/** `<agent>`: names of that kind. `normal|read_only`: the words themselves. */
function valuesOf(slot: string, names: Names): readonly string[] {
  const inner = slot.replace(/[[\]…]/g, '');
  return inner.split('|').flatMap((part) => {
    const kind = /^<?([\w-]+)(?:=\w+)?>?$/.exec(part)?.[1] ?? '';
    const isName = part.startsWith('<') || (slot.startsWith('[') && !slot.includes('|'));
    return isName ? namesOf(kind, names) : [kind].filter((word) => word !== '');
  });
}

function namesOf(kind: string, names: Names): readonly string[] {
  switch (kind) {
    case 'session':
      return names.sessions.map(quoted);
    case 'agent':
      return names.agents;
    case 'model':
      return names.models;
    case 'approval':
      return names.approvals;
    case 'group':
      return names.groups;
    case 'command':
      return names.commands.map(({ name }) => name);
    // `/extensions add <name>`; `--name <name>` of others is whatever one likes, so an extension’s does no harm.
    case 'name':
      return names.extensions;
    default:
      return [];
  }
}

/** As one word of a line. */
function quoted(name: string): string {
  return /^[^\s"'\\]+$/.test(name) ? name : `"${name.replace(/["\\]/g, '\\$&')}"`;
}
