import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLog } from '@fairlead/gateway/log';
import { cliError } from '../../cli-error.ts';
import type { CommandContext } from '../../command-context.ts';
import { startHost } from '../../host/host.ts';
import { loadHostConfig } from '../../host/host-config.ts';
import { openLogFile } from '../../log/log-file.ts';
import { hostLogPath } from '../../log/log-path.ts';
import { takeStateDirectory } from '../../state/state-folder.ts';

/** A host whose model is a script; nothing of it is left when it is disposed. */
export type DemoHost = AsyncDisposable & {
  readonly url: string;
  readonly stateDirectory: string;
  /** The empty folder that its session works in. */
  readonly workspace: string;
};

const CONFIGURATION = `[[backends]]
name = "demo"
type = "scripted"
file = "demo.json"
`;

/**
 * Starts a host of its own for the scripted demo: in a temporary folder, on a free loopback port, with neither Runner nor key nor network. The host that runs
 * on this machine hears nothing of it. Throws `demo_missing` where the script is not there.
 */
export async function openDemoHost(context: CommandContext): Promise<DemoHost> {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-demo-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const stateDirectory = join(folder, 'state');
  const workspace = join(folder, 'workspace');
  await mkdir(stateDirectory, { mode: 0o700 });
  await mkdir(workspace);
  const script = join(context.cloneRoot, 'examples', 'scripts', 'chat-demo.json');
  await copyFile(script, join(stateDirectory, 'demo.json')).catch((cause: unknown) => {
    throw cliError('demo_missing', { detail: { path: script }, cause });
  });
  await writeFile(join(stateDirectory, 'fairlead.toml'), CONFIGURATION);
  const lock = await takeStateDirectory(stateDirectory);
  if (lock !== null) stack.use(lock);
  // What is set for the host of this machine has nothing to do with this one.
  const env = Object.fromEntries(
    Object.entries(context.env).filter(([name]) => !name.startsWith('FAIRLEAD_')),
  );
  const own = { ...context, env };
  const loaded = await loadHostConfig(own, stateDirectory, { bind: '127.0.0.1', port: 0 });
  const logFile = openLogFile(hostLogPath(stateDirectory));
  stack.defer(() => logFile.close());
  const log = createLog({ write: logFile.write, clock: context.clock });
  const host = stack.use(await startHost({ context: own, stateDirectory, loaded, log, onStop: () => {} }));
  const owned = stack.move();
  return { url: host.url, stateDirectory, workspace, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
