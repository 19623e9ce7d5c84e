import { FairleadError, type JsonObject } from '@fairlead/base';
import { createLog } from '@fairlead/gateway/log';
import type { AgentHost } from '@fairlead/host';
import { cliError } from '../../cli-error.ts';
import { beginsAsId } from '../../client/find-session.ts';
import type { SessionDoor } from '../../client/session-door.ts';
import type { CommandContext } from '../../command-context.ts';
import { untilExtensionsSettled } from '../../extensions/until-extensions-settled.ts';
import type { HostTables } from '../../host/agent-tables.ts';
import { agentNames } from '../../host/default-agent.ts';
import { loadHostConfig } from '../../host/host-config.ts';
import { type HostFloor, openHostFloor } from '../../host/host-floor.ts';
import { openLogFile } from '../../log/log-file.ts';
import { hostLogPath } from '../../log/log-path.ts';
import { withProgress } from '../../output/progress.ts';
import { removeServerFile } from '../../state/server-file.ts';
import { RunProgress } from './run-progress.ts';
import type { RunReport } from './run-report.ts';
import { runSession } from './run-session.ts';
import type { RunWish } from './run-wish.ts';

/**
 * One turn of a host that lives as long as it takes: no gateway, no Runner, nothing else is answered. The caller holds the state
 * directory's lock. Throws `model_missing`, `host_paused`, `interrupted`, and the codes of its parts.
 */
export async function runAlone(
  context: CommandContext,
  options: {
    readonly stateDirectory: string;
    readonly wish: RunWish;
    readonly config: string | undefined;
    readonly signal: AbortSignal;
  },
): Promise<RunReport> {
  const { stateDirectory, wish, config, signal } = options;
  await removeServerFile(stateDirectory);
  const loaded = await loadHostConfig(context, stateDirectory, config === undefined ? {} : { config });
  if (loaded.tables.backends.backends.length === 0) throw cliError('model_missing');
  await using stack = new AsyncDisposableStack();
  const logFile = openLogFile(hostLogPath(stateDirectory));
  stack.defer(() => logFile.close());
  const log = createLog({ write: logFile.write, clock: context.clock });
  const floor = stack.use(await openHostFloor({ context, stateDirectory, loaded, log, alone: true }));
  const { agents, extensions } = floor;
  for (const line of await agents.firstWords()) context.stderr(`fairlead: ${line}\n`);
  const abandoned = new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  await untilExtensionsSettled(context, extensions, abandoned);
  // Nobody is there for a second try: what a server offers must be known before the one turn begins.
  await withProgress(context, 'waiting for MCP servers', () =>
    Promise.race([extensions.serversSettled(), abandoned]),
  );
  if (signal.aborted) throw cliError('interrupted');
  const session = await runSession(doorOf(floor, loaded.tables), wish);
  const progress = new RunProgress(context);
  const stop = await showProgress(progress, agents, session);
  try {
    const { text, agent, model, approve, timeoutSecs } = wish;
    const report: RunReport = await agents.runOnce({
      session,
      text,
      from: { kind: 'person', id: 'local', name: 'operator' },
      signal,
      ...(agent === undefined ? {} : { agent }),
      ...(model === undefined ? {} : { model }),
      ...(approve === undefined ? {} : { approve }),
      ...(timeoutSecs === undefined ? {} : { timeoutMs: timeoutSecs * 1000 }),
    });
    progress.end(report.calls);
    return report;
  } finally {
    progress.end([]);
    stop();
  }
}

/** The door of a host in this process; it has a model. */
function doorOf({ agents, prepared }: HostFloor, tables: HostTables): SessionDoor {
  return {
    standing: async () => {
      const [first = null] = await agentNames(prepared, tables);
      return { first, hasModel: true, isPaused: agents.state.pausedAtMs !== null };
    },
    checkModel: async (model) => void agents.models.resolve(model),
    find: async (session) => {
      const id = await agents.sessions.resolve(session).catch((error: unknown) => {
        const isFree = error instanceof FairleadError && error.code === 'session_unknown';
        if (isFree && !beginsAsId(session)) return null;
        throw error;
      });
      if (id !== null) await agents.openSession(id);
      return id;
    },
    make: (made) => agents.newSession(made),
  };
}

async function showProgress(
  progress: RunProgress,
  { events }: AgentHost,
  session: string,
): Promise<() => void> {
  const subscription = await events.subscribe(session, {}, (event) => {
    const { kind, ...data } = event;
    progress.hear(kind, data as unknown as JsonObject);
    return true;
  });
  return () => subscription.close();
}
