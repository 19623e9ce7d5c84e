import { isJsonObject, type JsonObject } from '@fairlead/base';
import { isFolderHeld } from '@fairlead/store';
import { cliError } from '../../cli-error.ts';
import { adminRequest } from '../../client/admin-request.ts';
import type { CommandContext } from '../../command-context.ts';
import { exitCodes } from '../../exit-codes.ts';
import { jsonLine, objectsIn } from '../../output/safe-text.ts';
import { table } from '../../output/table.ts';
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
  const output = await adminRequest(context, {
    url,
    stateDirectory,
    method: 'GET',
    path: '/api/admin/status',
  });
  const runners = isJsonObject(output) ? objectsIn(output['runners']) : [];
  const report = { running: true, url, pid, stateDirectory, runners };
  context.stdout(flags.json === true ? jsonLine(report) : render(report));
  return exitCodes.done;
}

function render(report: {
  readonly url: string;
  readonly pid: number;
  readonly stateDirectory: string;
  readonly runners: readonly JsonObject[];
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
    (rows.length === 0 ? 'no Runner is connected\n' : table(['RUNNER', 'PLUGIN', 'STATUS', 'CODE'], rows))
  );
}
