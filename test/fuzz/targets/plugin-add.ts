import { isUtf8 } from 'node:buffer';
import { lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FairleadError } from '@fairlead/base';
import { readRunnerConfig } from '@fairlead/runner';
import { parse } from 'smol-toml';
import { addProvider } from '../../../packages/cli/src/runner-file/add-provider.ts';
import type { ProviderBlock } from '../../../packages/cli/src/runner-file/provider-block.ts';
import { withProvider } from '../../../packages/cli/src/runner-file/with-provider.ts';
import { hold, type Target } from '../engine/target.ts';
import { scratchFolder } from '../scratch-folder.ts';

const provider: ProviderBlock = {
  id: 'added',
  name: 'Added',
  command: 'node',
  args: ['plugin.mjs'],
  cwd: '/tmp',
};
const line = (more: object = {}) => `${JSON.stringify({ ...provider, ...more })}\n`;

/** Files take many turns of the event loop each: every so many inputs one is added to a file, and the first always. */
const INPUTS_A_FILE = 32;

/** The first line of an input is the provider, the rest the file that it is added to. */
export const target: Target = {
  name: 'plugin-add',
  holds:
    'what is written begins with the old bytes and says all of it and the new plugin last; what is refused is refused for a reason that another reader finds too, changes no byte and leaves no file',
  covers: ['packages/cli/src/runner-file', 'packages/base/src/read-text-file.ts'],
  form: 'text',
  maxBytes: 4_096,
  words: [
    '[[plugins.providers]]\n',
    '[[ plugins . "providers" ]] # mine\r\n',
    '[plugins]\n',
    '["plugins"]\n',
    'providers = []\n',
    'plugins = { providers = [] }\n',
    'plugins.providers = [{ id = "added" }]\n',
    'plugins.request_timeout_secs = 9\n',
    '[plugins.x]\n',
    '[plugins.providers.tool_timeout_secs]\n',
    '[[plugins.providers.more]]\n',
    'plugins = 1\n',
    '[[plugins]]\n',
    'id = "added"\n',
    'id = "\\u0061dded"\n',
    '"added"',
    "'added'",
    '\\n',
    '\\u0001',
    '\\u00e9',
    '\\U0001F600',
    '"""',
    "'''",
    '#',
    '# comment\r\n',
    '\r\n\r\n',
    '\n\n',
    '\ufeff',
    '1979-05-27T07:32:00Z',
    '07:32:00',
    'nan',
    '-inf',
    '-0.0',
    '"" = 1\n',
    '"__proto__" = 1\n',
    '[__proto__]\n',
    '[a."b.c".\'d\']\n',
  ],
  seeds: () => [
    line(),
    `${line({ name: 'a "q" \\ b', args: ["'", '\t', '\u{1f600}'] })}# mine\nclient_id = "local"\n`,
    `${line({ timeout_secs: 5 })}[[plugins.providers]]\nid = "a"\nname = "A"\ncommand = "node"`,
    `${line()}[plugins]\nproviders = [{ id = "a", name = "A", command = "c" }]\n`,
    `${line()}z = 2026-01-01\n[shell.env]\nA = "1"\n`,
    `${line()}x = """\nopen`,
    `${line()}[[plugins.providers]]\nid = "added"\nname = "A"\ncommand = "node"\n`,
    `${line()}# c\r\nclient_id = 'local' # end\r\n\r\n[[plugins.providers]]\r\nid = "a"\r\nname = "A"\r\ncommand = "node"\r\n\r\n[plugins.providers.tool_timeout_secs]\r\nt = 5\r\n`,
    `${line()}plugins = { request_timeout_secs = 5, providers = [] }\n`,
    `${line()}plugins.providers = [\n  { id = "a", name = "A", command = "c" }, # one\n]\n`,
    `${line()}[plugins]\nrequest_timeout_secs = 5\n# nothing yet\n[shell]\nprogram = "/bin/sh"\n`,
    `${line({ id: 'é', name: '', args: ['\u0000', '\r\n', '\ufeff', "'''", '"""'] })}"odd key" = nan\n'' = [[1, 2.50], [{ a = -0.0, b = { c = 07:32:00 } }]]\n[[x]]\n[[x.y]]\nz = 1979-05-27T00:32:00.999-07:00\n`,
    `${line()}s = '''\n[[plugins.providers]]\nid = "added"'''\nt = "# no comment"`,
    `{"id":"a","name":"\\ud800","command":"c","args":[]}\n`,
    `${line()}\ufeffclient_id = "local"\n`,
    `${line()}${['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((id) => `[[plugins.providers]]\nid = "${id}"\nname = "N"\ncommand = "c"\n`).join('')}`,
  ],
  open: async () => {
    const folder = scratchFolder();
    const room = join(folder.path, 'room');
    let runs = 0;
    // Once one has failed there, an input is made smaller: then each of them has to go that way.
    let hasFailed = false;
    return {
      run: (input) => {
        const bytes = Buffer.from(input);
        const end = bytes.indexOf(0x0a);
        const asked = providerOf(bytes.subarray(0, end < 0 ? bytes.length : end));
        const before = end < 0 ? Buffer.alloc(0) : bytes.subarray(end + 1);
        const added = judgeText(before, asked);
        runs += 1;
        if (!hasFailed && runs % INPUTS_A_FILE !== 1) return;
        rmSync(room, { recursive: true, force: true });
        mkdirSync(room);
        return judgeFile(room, before, asked, added).catch((error: unknown) => {
          hasFailed = true;
          throw error;
        });
      },
      close: async () => folder.remove(),
    };
  },
};

/** A file's new text, or the code for which there is none. */
type Added = { readonly text: string } | { readonly code: string };

function judgeText(bytes: Buffer, asked: ProviderBlock): Added {
  if (!isUtf8(bytes)) return { code: 'runner_file_not_toml' };
  const before = bytes.toString();
  const added = add(before, asked);
  const old = read(before);
  if ('code' in added) {
    hold(
      added.code === whyNot(before, old, asked),
      'a refusal is for a reason that is there',
      () => added.code,
    );
    return added;
  }
  hold(Buffer.from(added.text).subarray(0, bytes.length).equals(bytes), 'the old bytes stand as they were');
  hold(old !== null, 'what is added to could be read');
  // As it is read again: what no bytes can say would be lost in a file.
  const fresh = read(Buffer.from(added.text).toString());
  hold(
    fresh !== null && canonical(fresh) === canonical(wanted(old, asked)),
    'what is written says what stood there and the new plugin last',
    () => added.text.slice(before.length),
  );
  const again = add(added.text, asked);
  hold('code' in again && again.code === 'provider_id_taken', 'nothing is added twice');
  return added;
}

function add(before: string, asked: ProviderBlock): Added {
  try {
    return { text: withProvider('runner.toml', before, asked) };
  } catch (error) {
    hold(error instanceof FairleadError, 'a refusal has a code', () => String(error));
    return { code: error.code };
  }
}

/** Why nothing can be added, found another way: the block is written by hand, and what came of it compared as a whole. */
function whyNot(before: string, old: Table | null, asked: ProviderBlock): string {
  if (old === null) return 'runner_file_not_toml';
  if (providersIn(old).some((entry) => (entry as Table | null)?.['id'] === asked.id))
    return 'provider_id_taken';
  const fresh = read(`${before}\n\n${blockOf(asked)}`);
  const fits = fresh !== null && canonical(fresh) === canonical(wanted(old, asked));
  return fits ? 'none' : 'provider_not_appended';
}

/** The same by way of a file: what the text comes to is written, or nothing is. The file is a link, as a person may have made it one. */
async function judgeFile(room: string, before: Buffer, asked: ProviderBlock, added: Added): Promise<void> {
  const path = join(room, 'runner.toml');
  const real = join(room, 'real.toml');
  writeFileSync(real, before);
  symlinkSync(real, path);
  let code: string | null = null;
  try {
    await addProvider(path, asked);
  } catch (error) {
    hold(error instanceof FairleadError, 'a refusal of a file has a code', () => String(error));
    code = error.code;
  }
  hold(readdirSync(room).length === 2, 'nothing is left beside the file');
  hold(lstatSync(path).isSymbolicLink(), 'a link stays one');
  const after = readFileSync(real);
  if (code === null) {
    hold('text' in added && after.equals(Buffer.from(added.text)), 'a file gets the new text');
    hold((await readRunnerConfig(path)).ok, 'what is written is what a Runner takes');
    return;
  }
  hold(after.equals(before), 'a refusal changes no byte');
  if ('code' in added) hold(code === added.code, 'a file is refused as its text is', () => code ?? '');
  else {
    hold(code === 'runner_file_refused', 'else it is the Runner that refuses', () => code ?? '');
    writeFileSync(real, added.text);
    hold(!(await readRunnerConfig(path)).ok, 'what is refused for the Runner is refused by it');
  }
}

type Table = { [key: string]: unknown };

function read(text: string): Table | null {
  try {
    return parse(text);
  } catch {
    return null;
  }
}

function providersIn(file: Table): unknown[] {
  const plugins = file['plugins'];
  const isTable = typeof plugins === 'object' && plugins !== null && !Array.isArray(plugins);
  const providers = isTable ? (plugins as Table)['providers'] : undefined;
  return Array.isArray(providers) ? providers : [];
}

/** What the old file says, with the plugin at the end of the list. */
function wanted(old: Table, asked: ProviderBlock): Table {
  const plugins = (old['plugins'] ?? {}) as Table;
  return { ...old, plugins: { ...plugins, providers: [...providersIn(old), asked] } };
}

/** A value as one text in which everything counts but the order of keys: dates with their kind, the sign of zero, NaN. */
function canonical(value: unknown): string {
  if (value instanceof Date) return `date ${value.toISOString()}`;
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
    return `{${entries.map(([key, below]) => `${JSON.stringify(key)}:${canonical(below)}`).join()}}`;
  }
  if (typeof value === 'number') return Object.is(value, -0) ? '-0' : String(value);
  return JSON.stringify(value);
}

/** The block by hand: every character of a text but the plainest as its code point. */
function blockOf({ id, name, command, args, cwd, timeout_secs }: ProviderBlock): string {
  const text = (value: string) =>
    `"${[...value].map((character) => (/[\w ]/.test(character) ? character : escaped(character))).join('')}"`;
  return [
    '[[plugins.providers]]',
    `id = ${text(id)}`,
    `name = ${text(name)}`,
    `command = ${text(command)}`,
    `args = [${args.map(text).join(', ')}]`,
    ...(cwd === undefined ? [] : [`cwd = ${text(cwd)}`]),
    ...(timeout_secs === undefined ? [] : [`timeout_secs = ${timeout_secs}`]),
    '',
  ].join('\n');
}

function escaped(character: string): string {
  return `\\U${(character.codePointAt(0) as number).toString(16).padStart(8, '0')}`;
}

/** The provider of a line where it is one, as the command line would make it. */
function providerOf(text: Uint8Array): ProviderBlock {
  try {
    const given = JSON.parse(Buffer.from(text).toString()) as Partial<Record<keyof ProviderBlock, unknown>>;
    const { id, name, command, args, cwd, timeout_secs } = given;
    const isText = [id, name, command].every((value) => typeof value === 'string');
    if (!isText || !Array.isArray(args) || !args.every((value) => typeof value === 'string')) return provider;
    return {
      id,
      name,
      command,
      args,
      ...(typeof cwd === 'string' ? { cwd } : {}),
      ...(typeof timeout_secs === 'number' && Number.isSafeInteger(timeout_secs) ? { timeout_secs } : {}),
    } as ProviderBlock;
  } catch {
    return provider;
  }
}
