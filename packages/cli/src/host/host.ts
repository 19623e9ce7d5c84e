import { Bindings, createTools, Settler } from '@fairlead/dispatch';
import { createGateway, createRunnerHub, createTokens, type Tokens } from '@fairlead/gateway';
import type { Log } from '@fairlead/gateway/log';
import { createClientPorts, hostErrors } from '@fairlead/host';
import { hubErrors } from '@fairlead/hub';
import { backup } from '@fairlead/store';
import type { CommandContext } from '../command-context.ts';
import { readVersion } from '../version.ts';
import { agentNames } from './default-agent.ts';
import type { LoadedHostConfig } from './host-config.ts';
import { type HostFloor, openHostFloor } from './host-floor.ts';
import { ensureOperatorToken } from './operator-token.ts';
import { pluginPortsOf, watchReloads } from './plugin-ports.ts';
import { sessionPortOf } from './session-port.ts';

/** A listening host: all of a floor, tokens and gateway. Disposed in reverse order of creation. */
export type Host = AsyncDisposable &
  Pick<HostFloor, 'extensions' | 'agents'> & {
    readonly url: string;
    readonly tokens: Tokens;
    /** Where the operator token stands. */
    readonly tokenFile: string;
    /** Who is at home here, the first one first. */
    agentNames(): Promise<readonly string[]>;
  };

/** Starts everything that `serve` is. The caller holds the state directory's lock. Rejects with the codes of its parts. */
export async function startHost(options: {
  readonly context: CommandContext;
  readonly stateDirectory: string;
  readonly loaded: LoadedHostConfig;
  readonly log: Log;
  /** Nothing is answered that waits in sessions. */
  readonly alone?: boolean;
  readonly onStop: () => void;
  /** Settles when the end is asked for, perhaps while it starts. */
  readonly stopped?: Promise<unknown>;
}): Promise<Host> {
  const { context, stateDirectory, loaded, log, alone = false, onStop, stopped } = options;
  const { clock, random } = context;
  const { config } = loaded;
  await using stack = new AsyncDisposableStack();
  const floor = stack.use(
    await openHostFloor({
      ...{ context, stateDirectory, loaded, log, alone },
      ...(stopped === undefined ? {} : { stopped }),
    }),
  );
  const { store, journal, digestKey, extensions, agents } = floor;
  const tokens = await createTokens({ store, clock, random });
  const hub = createRunnerHub({ tokens, clock, log });
  const bindings = stack.use(await Bindings.open({ store, clock, random, log }));
  const ports = createClientPorts(agents);
  const runners = watchReloads(hub);
  const settler = stack.use(new Settler({ runners: hub, journal, sessions: ports.sessions, clock, log }));
  const executor = {
    runners,
    journal,
    bindings,
    settler,
    clock,
    random,
    authority: config.authority,
    digestKey,
    ...ports,
    log,
  };
  const tools = createTools(executor);
  const disconnect = agents.plugins.connect(pluginPortsOf(hub, executor));
  stack.defer(async () => {
    disconnect();
    await agents.plugins.settled();
  });
  const version = readVersion();
  const gateway = createGateway({
    config,
    hub,
    tools,
    tokens,
    extensions: extensions.doors,
    sessions: sessionPortOf(floor, loaded.tables),
    sessionErrors: { ...hubErrors, ...hostErrors },
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
  return {
    ...{ url, tokens, tokenFile, extensions, agents },
    agentNames: () => agentNames(floor.prepared, loaded.tables),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
