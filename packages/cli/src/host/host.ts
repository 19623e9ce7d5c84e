import { join } from 'node:path';
import { randomId } from '@fairlead/base';
import { Bindings, createTools, Journal, Settler } from '@fairlead/dispatch';
import {
  createGateway,
  createRunnerHub,
  createTokens,
  type HostConfig,
  type Log,
  type Tokens,
} from '@fairlead/gateway';
import type { ExtensionTables } from '@fairlead/hub';
import { backup, openStore } from '@fairlead/store';
import type { CommandContext } from '../command-context.ts';
import { type HostExtensions, openHostExtensions } from '../extensions/host-extensions.ts';
import { nameFile } from '../state/name-file.ts';
import { readVersion } from '../version.ts';
import { ensureOperatorToken } from './operator-token.ts';
import { readDigestKey } from './secret-key.ts';

/** A listening host: database, journal, tokens and gateway. Disposed in reverse order of creation. */
export type Host = AsyncDisposable & {
  readonly url: string;
  readonly tokens: Tokens;
  /** Where the operator token stands. */
  readonly tokenFile: string;
  readonly extensions: HostExtensions;
};

/** Starts everything that `serve` is. The caller holds the state directory's lock. Rejects with the codes of its parts. */
export async function startHost(options: {
  readonly context: CommandContext;
  readonly stateDirectory: string;
  readonly config: HostConfig;
  readonly extensionTables: ExtensionTables;
  /** Where `fairlead.toml` is or would be: relative folders in it are meant from there. */
  readonly configPath: string;
  readonly log: Log;
  readonly onStop: () => void;
}): Promise<Host> {
  const { context, stateDirectory, config, extensionTables: tables, configPath, log, onStop } = options;
  const { clock, random } = context;
  await using stack = new AsyncDisposableStack();
  const path = join(stateDirectory, 'fairlead.db');
  const store = stack.use(await nameFile(path, () => openStore({ path, clock })));
  const journal = stack.use(new Journal({ store, clock, boot: randomId('boot_', random), log }));
  await journal.recoverAtStart();
  const tokens = await createTokens({ store, clock, random });
  const hub = createRunnerHub({ tokens, clock, log });
  const digestKey = await readDigestKey(stateDirectory, random);
  const bindings = stack.use(await Bindings.open({ store, clock, random, log }));
  const settler = stack.use(new Settler({ runners: hub, journal, log }));
  const tools = createTools({
    runners: hub,
    journal,
    bindings,
    settler,
    clock,
    random,
    authority: config.authority,
    digestKey,
    log,
  });
  const extensions = stack.use(
    await openHostExtensions({ context, stateDirectory, store, tables, configPath, log }),
  );
  const version = readVersion();
  const gateway = createGateway({
    config,
    hub,
    tools,
    tokens,
    extensions: extensions.administration,
    journal,
    clock,
    random,
    version,
    log,
    stateDirectory,
    backup: (to) => backup({ store, stateDirectory, to, clock }),
    onStop,
  });
  stack.defer(() => gateway.close());
  // Before anybody can ask: whoever reads the address finds the token beside it.
  const tokenFile = await ensureOperatorToken({ stateDirectory, tokens, clock });
  const { url } = await gateway.listen();
  const owned = stack.move();
  return { url, tokens, tokenFile, extensions, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
