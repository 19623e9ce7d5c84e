import { isJsonObject, type JsonObject } from '@fairlead/base';
import { adminRequest, answersHealth } from '../admin-request.ts';
import type { CommandContext } from '../command-context.ts';
import { exitCodes } from '../exit-codes.ts';
import { objectsIn, safeLine, table } from '../plugin-output.ts';
import { readServerFile } from '../server-file.ts';
import { resolveStateDirectory } from '../state-directory.ts';

type StatusFlags = { readonly stateDir?: string; readonly json?: boolean };

/** `fairlead status`: what runs on this state directory. Exit 0 running, 3 not. */
export async function status(context: CommandContext, flags: StatusFlags): Promise<number> {
  const stateDirectory = resolveStateDirectory({ flag: flags.stateDir, ...context });
  const server = await readServerFile(stateDirectory);
  if (server === null || !(await answersHealth(server.url))) {
    const report = { running: false, url: null, pid: null, stateDirectory, runners: [] };
    context.stdout(
      flags.json === true ? `${JSON.stringify(report)}\n` : `nothing runs on ${stateDirectory}\n`,
    );
    return exitCodes.unknown;
  }
  const output = await adminRequest({
    url: server.url,
    stateDirectory,
    method: 'GET',
    path: '/api/admin/status',
  });
  const runners = isJsonObject(output) ? objectsIn(output['runners']) : [];
  const report = { running: true, url: server.url, pid: server.pid, stateDirectory, runners };
  context.stdout(flags.json === true ? `${JSON.stringify(report)}\n` : render(report));
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
    if (plugins.length === 0) return [[safeLine(runner['runner']), '-', 'no provider', '-']];
    return plugins.map((plugin) => [
      safeLine(runner['runner']),
      safeLine(plugin['plugin']),
      safeLine(plugin['status']),
      typeof plugin['errorCode'] === 'string' ? safeLine(plugin['errorCode']) : '-',
    ]);
  });
  return (
    `running at ${report.url} (process ${report.pid})\n` +
    `state directory ${report.stateDirectory}\n` +
    (rows.length === 0
      ? 'no Runner is connected\n'
      : table([['RUNNER', 'PLUGIN', 'STATUS', 'CODE'], ...rows]))
  );
}
