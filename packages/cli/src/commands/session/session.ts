import { resolve } from 'node:path';
import { isJsonObject, type Json, type JsonObject } from '@fairlead/base';
import { sessionPath } from '../../client/find-session.ts';
import { hostStanding } from '../../client/host-standing.ts';
import { streamTo } from '../../client/stream-to.ts';
import type { CommandContext } from '../../command-context.ts';
import { exitCodes } from '../../exit-codes.ts';
import { askAnyHost, withHost } from '../../host/with-host.ts';
import { commandHint } from '../../output/command-hint.ts';
import { jsonLine, labelled, objectsIn, safeLine } from '../../output/safe-text.ts';
import { table } from '../../output/table.ts';
import { timeText } from '../../output/time-text.ts';
import { runningHost } from '../../owner/running-host.ts';
import { resolveStateDirectory } from '../../state/state-directory.ts';
import { entryText } from './entry-text.ts';

type Flags = { readonly stateDir?: string; readonly json?: boolean };

/** `fairlead session list`: the sessions of the running host, the ones used last first. */
export async function sessionList(
  context: CommandContext,
  flags: Flags & { readonly closed?: boolean },
): Promise<number> {
  const path = flags.closed === true ? '/api/sessions?closed=true' : '/api/sessions';
  const output = await askAnyHost(context, flags, { method: 'GET', path });
  if (flags.json === true) {
    context.stdout(jsonLine(output));
    return exitCodes.done;
  }
  const sessions = isJsonObject(output) ? objectsIn(output['sessions']) : [];
  if (sessions.length === 0) {
    const stateDirectory = resolveStateDirectory({ flag: flags.stateDir, ...context });
    const { command, stateFlag } = commandHint(context, stateDirectory);
    context.stdout(`there is no session; say something: ${command} run${stateFlag} "hello"\n`);
    return exitCodes.done;
  }
  const rows = sessions.map((session) => [
    session['id'],
    session['name'],
    agentsText(session),
    stateText(session),
    typeof session['lastAtMs'] === 'number' ? timeText(session['lastAtMs']) : null,
  ]);
  context.stdout(table(['SESSION', 'NAME', 'AGENTS', 'STATE', 'LAST USED'], rows));
  return exitCodes.done;
}

function agentsText(session: JsonObject): string {
  return objectsIn(session['agents'])
    .map(({ name }) => safeLine(name))
    .join(', ');
}

/** What keeps it from being an ordinary one that waits, in words. */
function stateText({ closed, mode, running, parent }: JsonObject): string {
  const words = [
    ...(closed === true ? ['closed'] : []),
    ...(mode === 'normal' ? [] : [safeLine(mode)]),
    ...(isJsonObject(running ?? null) ? [runningText(running as JsonObject)] : []),
    ...(isJsonObject(parent ?? null) ? ['of another session'] : []),
  ];
  return words.length === 0 ? 'idle' : words.join(', ');
}

function runningText({ state, tool }: JsonObject): string {
  if (typeof tool === 'string') return `${safeLine(state)} ${safeLine(tool)}`;
  return `turn: ${safeLine(state)}`;
}

/** `fairlead session show SESSION`: what it is, and its newest entries, oldest of them first. */
export async function sessionShow(
  context: CommandContext,
  session: string,
  flags: Flags & { readonly limit?: number; readonly before?: string },
): Promise<number> {
  const query = new URLSearchParams({ limit: String(flags.limit ?? 20) });
  if (flags.before !== undefined) query.set('before', flags.before);
  const [shown, page] = await withHost(context, flags, async ({ ask }) => {
    const path = await sessionPath(ask, session);
    const found = await ask({ method: 'GET', path });
    return [found, await ask({ method: 'GET', path: `${path}/entries?${query}` })] as const;
  });
  const { entries, before = null } = isJsonObject(page) ? page : {};
  if (flags.json === true) {
    context.stdout(jsonLine({ session: shown, entries: entries ?? [], before }));
    return exitCodes.done;
  }
  const about = isJsonObject(shown) ? shown : {};
  const line = (label: string, value: Json | undefined) =>
    value === undefined || value === null || value === '' ? '' : labelled(label, value);
  context.stdout(
    labelled('session', about['id']) +
      line('name', about['name']) +
      line('agents', agentsText(about)) +
      line('model', about['model']) +
      line('mode', about['mode']) +
      line('state', stateText(about)) +
      line('workspace', about['workspace']) +
      '\n',
  );
  for (const entry of objectsIn(entries).reverse()) context.stdout(entryText(entry));
  if (typeof before === 'string') {
    const stateDirectory = resolveStateDirectory({ flag: flags.stateDir, ...context });
    const { command, stateFlag } = commandHint(context, stateDirectory);
    context.stderr(
      `older ones: ${command} session show${stateFlag} ${safeLine(session)} --before ${safeLine(before)}\n`,
    );
  }
  return exitCodes.done;
}

/** `fairlead session export SESSION`: JSON lines, what it is and then each entry in order. */
export async function sessionExport(context: CommandContext, session: string, flags: Flags): Promise<number> {
  await withHost(context, flags, async (host) => {
    const path = `${await sessionPath(host.ask, session)}/export`;
    await streamTo(host, path, (text) => context.stdout(text));
  });
  return exitCodes.done;
}

/** `fairlead session new`: makes one, with the first agent where none is named; prints its id. */
export async function sessionNew(
  context: CommandContext,
  flags: Flags & {
    readonly name?: string;
    readonly agent?: readonly string[];
    readonly workspace?: string;
    readonly mode?: string;
  },
): Promise<number> {
  const { name, agent = [], workspace, mode } = flags;
  const body = {
    workspace: resolve(context.cwd, workspace ?? '.'),
    ...(name === undefined ? {} : { name }),
    ...(mode === undefined ? {} : { mode }),
  };
  const made = await withHost(context, flags, async ({ ask }) => {
    const { first } = agent.length > 0 ? { first: null } : await hostStanding(ask);
    const agents = first === null ? [...agent] : [first];
    return await ask({ method: 'POST', path: '/api/sessions', body: { agents, ...body } });
  });
  const id = isJsonObject(made) ? made['id'] : null;
  context.stdout(flags.json === true ? jsonLine(made) : `${safeLine(id)}\n`);
  return exitCodes.done;
}

/** `fairlead session close SESSION`: cancels what runs there; nothing wakes there any more. */
export async function sessionClose(context: CommandContext, session: string, flags: Flags): Promise<number> {
  const output = await withHost(context, flags, async ({ ask }) => {
    const path = await sessionPath(ask, session);
    return await ask({ method: 'PATCH', path, body: { closed: true } });
  });
  context.stdout(flags.json === true ? jsonLine(output) : `closed ${safeLine(session)}\n`);
  return exitCodes.done;
}

/** `fairlead session continue SESSION`: a turn that goes on where the last one was cut short. */
export async function sessionContinue(
  context: CommandContext,
  session: string,
  flags: Flags,
): Promise<number> {
  const { ask } = await runningHost(context, flags);
  const path = `${await sessionPath(ask, session)}/continue`;
  const output = await ask({ method: 'POST', path, body: {} });
  const turn = isJsonObject(output) ? output['turn'] : null;
  context.stdout(flags.json === true ? jsonLine(output) : `goes on as ${safeLine(turn)}\n`);
  return exitCodes.done;
}

/** `fairlead session cancel SESSION`: the turn that runs there, with all that it began. */
export async function sessionCancel(context: CommandContext, session: string, flags: Flags): Promise<number> {
  const { ask } = await runningHost(context, flags);
  const path = `${await sessionPath(ask, session)}/cancel`;
  const output = await ask({ method: 'POST', path, body: {} });
  const wasRunning = isJsonObject(output) && output['cancelled'] === true;
  const text = wasRunning ? 'cancelled\n' : 'nothing runs there\n';
  context.stdout(flags.json === true ? jsonLine(output) : text);
  return exitCodes.done;
}
