import type { Json, JsonObject } from '@fairlead/base';
import { createLog } from '@fairlead/gateway/log';
import type { AgentHost } from '@fairlead/host';
import { cliError } from '../../cli-error.ts';
import { beginsAsId } from '../../client/find-session.ts';
import type { CommandContext } from '../../command-context.ts';
import { agentNames } from '../../host/default-agent.ts';
import { loadHostConfig } from '../../host/host-config.ts';
import { type HostFloor, openHostFloor } from '../../host/host-floor.ts';
import { openLogFile } from '../../log/log-file.ts';
import { hostLogPath } from '../../log/log-path.ts';
import { withProgress } from '../../output/progress.ts';
import { removeServerFile } from '../../state/server-file.ts';
import { RunProgress } from './run-progress.ts';
import { type RunReport, readRunReport } from './run-report.ts';
import type { RunWish } from './run-wish.ts';

/**
 * One turn of a host that lives as long as it takes: no gateway, no Runner, nothing else is answered. The caller holds the state
 * directory's lock. Throws `model_missing`, `interrupted`, and the codes of its parts.
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
  const { agents, extensions, prepared } = floor;
  for (const line of await agents.firstWords()) context.stderr(`fairlead: ${line}\n`);
  const abandoned = new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  await withProgress(context, 'loading extensions', () => Promise.race([extensions.settled, abandoned]));
  // Nobody is there for a second try: what a server offers must be known before the one turn begins.
  await withProgress(context, 'waiting for MCP servers', () =>
    Promise.race([extensions.serversSettled(), abandoned]),
  );
  if (signal.aborted) throw cliError('interrupted');
  const session = await sessionOf(floor, wish, async () => {
    const [first] = await agentNames(prepared, loaded.tables);
    if (first === undefined) throw cliError('model_missing');
    return first;
  });
  const progress = new RunProgress(context);
  const stop = await showProgress(progress, agents, session);
  try {
    const { text, agent, model, approve, timeoutSecs } = wish;
    const report = await agents.runOnce({
      session,
      text,
      from: { kind: 'person', id: 'local', name: 'operator' },
      signal,
      ...(agent === undefined ? {} : { agent }),
      ...(model === undefined ? {} : { model }),
      ...(approve === undefined ? {} : { approve }),
      ...(timeoutSecs === undefined ? {} : { timeoutMs: timeoutSecs * 1000 }),
    });
    const read = readRunReport(report as unknown as Json);
    if (read === null) throw new TypeError('a report without its members');
    progress.end(read.calls);
    return read;
  } finally {
    progress.end([]);
    stop();
  }
}

async function sessionOf(
  { agents }: HostFloor,
  { session, agent, model, workspace }: RunWish,
  firstAgent: () => Promise<string>,
): Promise<string> {
  // Before anything is made: a session that nothing can be said in would stay.
  if (model !== undefined) agents.models.resolve(model);
  if (session !== undefined && beginsAsId(session)) {
    const id = await agents.sessions.resolve(session);
    await agents.openSession(id);
    return id;
  }
  const known = session === undefined ? undefined : await named(agents, session);
  if (known !== undefined) {
    await agents.openSession(known);
    return known;
  }
  return await agents.newSession({
    agents: [agent ?? (await firstAgent())],
    workspace,
    ...(session === undefined ? {} : { name: session }),
  });
}

async function named({ sessions }: AgentHost, name: string): Promise<string | undefined> {
  return (await sessions.list()).find(({ meta }) => meta.name === name && !meta.closed)?.id;
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
