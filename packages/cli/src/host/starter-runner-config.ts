import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { stringify } from 'smol-toml';
import { createPrivateFile } from '../state/private-file.ts';

/** What the first `npm start` needs to know about the machine. */
export type StarterInputs = {
  readonly cloneRoot: string;
  /** The Node that runs this command: TypeScript plugins need it, whatever Node the machine has. */
  readonly nodePath: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** How a command is typed in the clone. */
  readonly command: string;
};

type Provider = {
  readonly id: string;
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
};

/** True in a clone; an installed package carries no examples. */
export function hasExamples(cloneRoot: string): boolean {
  return existsSync(join(cloneRoot, 'examples/plugins/raw-node/plugin.mjs'));
}

/**
 * Writes the file when there is none; an existing one, edited or not, is never touched. True when it was written.
 * Throws `state_directory_unwritable`.
 */
export function writeStarterRunnerConfig(path: string, inputs: StarterInputs): Promise<boolean> {
  return createPrivateFile(path, starterRunnerConfig(inputs));
}

/** The text of a first runner.toml: what each part is for, then one block per example. */
export function starterRunnerConfig(inputs: StarterInputs): string {
  const head = [
    '# The native plugins of this machine. Fairlead wrote this file once and does not write it again.',
    '# Each [[plugins.providers]] block is a program that is started with your rights: add only what you trust.',
    `# After an edit: ${inputs.command} plugin reload --runner local`,
    '',
    'client_id = "local"',
    '',
    '[plugins]',
    '# For each of initialize, tools/list and a call: 1 to 120. A block may have a timeout_secs of its own.',
    'request_timeout_secs = 30',
  ].join('\n');
  const blocks = exampleProviders(inputs).map((provider) =>
    stringify({ plugins: { providers: [provider] } }).trim(),
  );
  return `${[head, ...blocks].join('\n\n')}\n`;
}

/** The example providers of this clone; the Python one only where `python3` is found. */
function exampleProviders({ cloneRoot, nodePath, env }: StarterInputs): Provider[] {
  const example = (folder: string) => join(cloneRoot, 'examples/plugins', folder);
  const providers: Provider[] = [
    {
      id: 'sdk-echo',
      name: 'Echo, written with the SDK',
      command: nodePath,
      args: [join(example('sdk-echo'), 'src/plugin.ts')],
      cwd: example('sdk-echo'),
    },
    {
      id: 'raw-node',
      name: 'Echo and add, plain Node',
      command: nodePath,
      args: [join(example('raw-node'), 'plugin.mjs')],
      cwd: example('raw-node'),
    },
    {
      id: 'repo-info',
      name: 'Git summary of this clone',
      command: nodePath,
      args: [join(cloneRoot, 'plugins/repo-info/src/plugin.ts')],
      cwd: cloneRoot,
    },
  ];
  if (isOnPath('python3', env['PATH'] ?? '')) {
    providers.push({
      id: 'raw-python',
      name: 'Echo, plain Python',
      command: 'python3',
      args: [join(example('raw-python'), 'plugin.py')],
      cwd: example('raw-python'),
    });
  }
  return providers;
}

function isOnPath(name: string, path: string): boolean {
  return path.split(delimiter).some((folder) => folder !== '' && isExecutable(join(folder, name)));
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
