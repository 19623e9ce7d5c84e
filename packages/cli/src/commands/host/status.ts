import { isJsonObject, type Json, type JsonObject } from '@fairlead/base';
import { isFolderHeld } from '@fairlead/store';
import { cliError } from '../../cli-error.ts';
import { adminRequest } from '../../client/admin-request.ts';
import type { CommandContext } from '../../command-context.ts';
import { exitCodes } from '../../exit-codes.ts';
import { type CommandHint, commandHint } from '../../output/command-hint.ts';
import { jsonLine, objectsIn, safeLine } from '../../output/safe-text.ts';
import { table } from '../../output/table.ts';
import { timeText } from '../../output/time-text.ts';
import { findHost } from '../../owner/host-in-charge.ts';
import { resolveStateDirectory } from '../../state/state-directory.ts';
import { requireReadable } from '../../state/state-folder.ts';

type StatusFlags = { readonly stateDir?: string; readonly json?: boolean };

/** `fairlead status`: what runs on this state directory. Exit 0 running, 3 not. */
export async function status(context: CommandContext, flags: StatusFlags): Promise<number> {
  const stateDirectory = resolveStateDirectory({ flag: flags.stateDir, ...context });
  await requireReadable(stateDirectory);
  const server = await findHost(context, stateDirectory);
  if (server === null && (await isFolderHeld(stateDirectory))) {
    // Starting, stopped by SIGSTOP, or stuck: it runs, and that is all that can be said.
    throw cliError('host_silent', { message: `A process owns ${stateDirectory} and does not answer.` });
  }
  if (server === null) {
    const report = { running: false, url: null, pid: null, stateDirectory, runners: [] };
    context.stdout(flags.json === true ? jsonLine(report) : `nothing runs on ${stateDirectory}\n`);
    return exitCodes.unknown;
  }
  const { url, pid } = server;
  const path = '/api/admin/status';
  const output = await adminRequest(context, { url, stateDirectory, method: 'GET', path });
  const { runners: listed, agents = null, extensions: down } = isJsonObject(output) ? output : {};
  const extensions = objectsIn(down);
  const report = { running: true, url, pid, stateDirectory, runners: objectsIn(listed), agents, extensions };
  if (flags.json === true) context.stdout(jsonLine(report));
  else context.stdout(render({ ...report, command: commandHint(context, stateDirectory) }));
  return exitCodes.done;
}

function render(report: {
  readonly url: string;
  readonly pid: number;
  readonly stateDirectory: string;
  readonly runners: readonly JsonObject[];
  readonly agents: Json;
  readonly extensions: readonly JsonObject[];
  readonly command: CommandHint;
}): string {
  const rows = report.runners.flatMap((runner) => {
    const plugins = objectsIn(runner['plugins']);
    if (plugins.length > 0) {
      return plugins.map((plugin) => [
        runner['runner'],
        plugin['plugin'],
        plugin['status'],
        plugin['errorCode'],
      ]);
    }
    const code = runner['errorCode'];
    return [[runner['runner'], null, code === undefined ? 'no plugin' : 'no answer', code]];
  });
  return (
    `running at ${report.url} (process ${report.pid})\n` +
    `state directory ${report.stateDirectory}\n` +
    agentText(report.agents, report.command) +
    report.extensions
      .map(
        ({ name, state, reason, code }) =>
          `extension ${safeLine(name)} ${state === 'down' ? 'is down' : 'needs a look'}: ${safeLine(reason)} (${safeLine(code)})\n`,
      )
      .join('') +
    (rows.length === 0 ? 'no Runner is connected\n' : table(['RUNNER', 'PLUGIN', 'STATUS', 'CODE'], rows))
  );
}

/** What the agents do, and what keeps them from it. */
function agentText(agents: Json, { command, stateFlag }: CommandHint): string {
  if (!isJsonObject(agents)) return '';
  const { pausedAtMs, model, running, waiting, approvals } = agents;
  const names = Array.isArray(agents['agents']) ? agents['agents'].map(safeLine).join(', ') : '';
  const count = (value: Json | undefined) => (typeof value === 'number' ? value : 0);
  const turns = objectsIn(running).map(({ session, state, tool }) =>
    `turn in ${safeLine(session)}: ${safeLine(state)} ${safeLine(tool)}`.trimEnd(),
  );
  const lines = [
    ...(typeof pausedAtMs === 'number'
      ? [`paused since ${timeText(pausedAtMs)}; go on with: ${command} resume${stateFlag}`]
      : []),
    model === null
      ? `no model, so no agent answers; add one with: ${command} model add${stateFlag}`
      : `agents ${names === '' ? 'none' : names}, with ${safeLine(model)}`,
    ...turns,
    ...(count(waiting) > 0 ? [`sessions in which something waits for an answer: ${count(waiting)}`] : []),
    ...(count(approvals) > 0
      ? [`calls that wait for an approval: ${count(approvals)}; see ${command} approvals list${stateFlag}`]
      : []),
  ];
  return lines.map((line) => `${line}\n`).join('');
}
