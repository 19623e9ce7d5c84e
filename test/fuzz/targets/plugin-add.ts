import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { FairleadError } from '@fairlead/base';
import { readRunnerConfig } from '@fairlead/runner';
import { parse } from 'smol-toml';
import { addProvider } from '../../../packages/cli/src/runner-file/add-provider.ts';
import type { ProviderBlock } from '../../../packages/cli/src/runner-file/provider-block.ts';
import { hold, type Target } from '../engine/target.ts';
import { scratchFolder } from '../scratch-folder.ts';

const CODES: ReadonlySet<string> = new Set([
  'runner_file_unreadable',
  'runner_file_not_toml',
  'provider_id_taken',
  'provider_not_appended',
  'runner_file_refused',
]);

const provider: ProviderBlock = {
  id: 'added',
  name: 'Added',
  command: 'node',
  args: ['plugin.mjs'],
  cwd: '/tmp',
};
const line = (more: object = {}) => `${JSON.stringify({ ...provider, ...more })}\n`;

/** The first line of an input is the provider, the rest the file that it is added to. */
export const target: Target = {
  name: 'plugin-add',
  holds:
    'what is written begins with the old text and says it and the new plugin; what is refused changes no byte and leaves no file',
  covers: ['packages/cli/src/runner-file'],
  form: 'text',
  maxBytes: 4_096,
  words: [
    '[[plugins.providers]]\n',
    '[plugins]\n',
    'providers = []\n',
    '[plugins.x]\n',
    'plugins = 1\n',
    '[[plugins]]\n',
    '"added"',
    '\\n',
    '\\u0001',
    '"""',
    "'''",
    '#',
  ],
  seeds: () => [
    line(),
    `${line({ name: 'a "q" \\ b', args: ["'", '\t', '\u{1f600}'] })}# mine\nclient_id = "local"\n`,
    `${line({ timeout_secs: 5 })}[[plugins.providers]]\nid = "a"\nname = "A"\ncommand = "node"`,
    `${line()}[plugins]\nproviders = [{ id = "a", name = "A", command = "c" }]\n`,
    `${line()}z = 2026-01-01\n[shell.env]\nA = "1"\n`,
    `${line()}x = """\nopen`,
  ],
  open: async () => {
    const folder = scratchFolder();
    const room = join(folder.path, 'room');
    return {
      run: async (input) => {
        rmSync(room, { recursive: true, force: true });
        mkdirSync(room);
        await judge(join(room, 'runner.toml'), Buffer.from(input));
        hold(readdirSync(room).length === 1, 'nothing is left beside the file');
      },
      close: async () => folder.remove(),
    };
  },
};

async function judge(path: string, input: Buffer): Promise<void> {
  const end = input.indexOf(0x0a);
  const asked = providerOf(input.subarray(0, end < 0 ? input.length : end));
  const before = end < 0 ? Buffer.alloc(0) : input.subarray(end + 1);
  writeFileSync(path, before);
  try {
    await addProvider(path, asked);
  } catch (error) {
    hold(error instanceof FairleadError && CODES.has(error.code), 'a refusal has a code', () =>
      String(error),
    );
    hold(readFileSync(path).equals(before), 'a refusal changes no byte');
    return;
  }
  const after = readFileSync(path);
  hold(after.subarray(0, before.length).equals(before), 'the old text stands as it was');
  const old = parse(before.toString());
  const fresh = parse(after.toString());
  const providers = (fresh['plugins'] as { providers: unknown[] }).providers;
  hold(plain(providers.at(-1)) === plain(asked), 'the new plugin is the one that was asked for');
  hold(
    plain(Object.keys(fresh).filter((key) => key !== 'plugins')) ===
      plain(Object.keys(old).filter((key) => key !== 'plugins')),
    'no key is lost or new',
  );
  for (const key of Object.keys(old))
    if (key !== 'plugins') hold(isDeepStrictEqual(fresh[key], old[key]), 'every other value is the same');
  hold((await readRunnerConfig(path)).ok, 'what is written is what a Runner takes');
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

function plain(value: unknown): string {
  return JSON.stringify(value);
}
