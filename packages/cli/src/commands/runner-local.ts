import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { FairleadError } from '@fairlead/base';
import { type LocalStderrLine, readLocalStatus, readStderr } from '@fairlead/runner';
import type { CommandContext } from '../command-context.ts';
import { nextStepOf } from '../error-tables.ts';
import { exitCodes } from '../exit-codes.ts';
import { safeLine, table } from '../plugin-output.ts';
import { resolveStateDirectory } from '../state-directory.ts';
import { UsageError } from '../usage-error.ts';

type LocalFlags = { readonly stateDir?: string; readonly runner?: string; readonly json?: boolean };

/** The Runner that is meant: the one named, else the only one of this state directory. */
async function chooseRunner(
  context: CommandContext,
  flags: LocalFlags,
): Promise<{ stateDirectory: string; runnerId: string }> {
  const stateDirectory = resolveStateDirectory({ flag: flags.stateDir, ...context });
  if (flags.runner !== undefined) return { stateDirectory, runnerId: flags.runner };
  const known = await readdir(join(stateDirectory, 'runners')).catch(() => []);
  const [only, ...others] = known;
  if (only === undefined)
    throw new FairleadError('runner_not_running', 'no Runner has run on this state directory');
  if (others.length > 0)
    throw new UsageError(`several Runners are known here; name one with --runner: ${known.join(', ')}`);
  return { stateDirectory, runnerId: only };
}

function throwLocal(code: string): never {
  const messages: Readonly<Record<string, string>> = {
    runner_not_running: 'this Runner does not run on this machine',
    plugin_not_configured: 'this Runner has no such plugin',
  };
  throw new FairleadError(code, messages[code] ?? 'the Runner gave an answer that is not understood', {
    detail: { next: nextStepOf(code) ?? 'run it again' },
  });
}

/** `fairlead runner status`: asked over the Runner's local socket, so it works without a gateway. */
export async function runnerStatus(context: CommandContext, flags: LocalFlags): Promise<number> {
  const target = await chooseRunner(context, flags);
  const answer = await readLocalStatus(target);
  if (!answer.ok) {
    if (answer.code !== 'runner_not_running') throwLocal(answer.code);
    const report = { runner: target.runnerId, running: false, registered: false, plugins: [] };
    context.stdout(
      flags.json === true
        ? `${JSON.stringify(report)}\n`
        : `Runner ${safeLine(target.runnerId)} does not run\n`,
    );
    return exitCodes.unknown;
  }
  const plugins = answer.providers.map((row) => ({
    plugin: row.id,
    name: row.name,
    status: row.status,
    errorCode: row.error_code,
  }));
  if (flags.json === true) {
    const report = { runner: target.runnerId, running: true, registered: answer.registered, plugins };
    context.stdout(`${JSON.stringify(report)}\n`);
    return exitCodes.done;
  }
  const rows = plugins.map((row) => [
    safeLine(row.plugin),
    row.status,
    row.errorCode ?? '-',
    safeLine(row.name),
  ]);
  context.stdout(
    `Runner ${safeLine(target.runnerId)}, ${answer.registered ? 'linked to its gateway' : 'not linked to a gateway'}\n` +
      (rows.length === 0
        ? 'no plugin is configured\n'
        : table([['PLUGIN', 'STATUS', 'CODE', 'NAME'], ...rows])),
  );
  return exitCodes.done;
}

/** `fairlead runner stderr PLUGIN`: the last lines; they never leave this machine. */
export async function runnerStderr(
  context: CommandContext,
  plugin: string,
  flags: LocalFlags,
): Promise<number> {
  const target = await chooseRunner(context, flags);
  const answer = await readStderr({ ...target, plugin });
  if (!answer.ok) throwLocal(answer.code);
  const { committed, candidate } = answer.stderr;
  if (flags.json === true) {
    context.stdout(`${JSON.stringify({ runner: target.runnerId, plugin, committed, candidate })}\n`);
    return exitCodes.done;
  }
  context.stdout(section('in use', committed) + section('last candidate', candidate));
  return exitCodes.done;
}

function section(title: string, lines: readonly LocalStderrLine[] | null): string {
  if (lines === null) return '';
  const body = lines.map((line) => `${safeLine(line.text)}${line.truncated ? ' [cut]' : ''}\n`).join('');
  return `--- ${title} (${lines.length} lines)\n${body}`;
}
