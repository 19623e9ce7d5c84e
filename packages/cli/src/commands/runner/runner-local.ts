import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { FairleadError } from '@fairlead/base';
import { protocolErrors } from '@fairlead/protocol';
import { type LocalStderrLine, readLocalStatus, readStderr, runnerErrors } from '@fairlead/runner';
import type { CommandContext } from '../../command-context.ts';
import { nextStepOf } from '../../error-tables.ts';
import { exitCodes } from '../../exit-codes.ts';
import { jsonLine, safeLine } from '../../output/safe-text.ts';
import { table } from '../../output/table.ts';
import { resolveStateDirectory } from '../../state/state-directory.ts';
import { UsageError } from '../../usage-error.ts';

type LocalFlags = { readonly stateDir?: string; readonly runner?: string; readonly json?: boolean };
type Target = { readonly stateDirectory: string; readonly runnerId: string };

/** The Runner that is meant: the one named, else the only one of this state directory, else the only one that runs. */
async function chooseRunner(context: CommandContext, flags: LocalFlags): Promise<Target> {
  const stateDirectory = resolveStateDirectory({ flag: flags.stateDir, ...context });
  if (flags.runner !== undefined) return { stateDirectory, runnerId: flags.runner };
  const known = (await readdir(join(stateDirectory, 'runners')).catch(() => [])).sort();
  const [first, ...others] = known;
  if (first === undefined) throw localError('runner_not_running', `No Runner has run on ${stateDirectory}.`);
  if (others.length === 0) return { stateDirectory, runnerId: first };
  const targets = known.map((runnerId) => ({ stateDirectory, runnerId }));
  const answers = await Promise.all(targets.map((target) => readLocalStatus(target)));
  const running = targets.filter((_, index) => answers[index]?.ok === true);
  const [only] = running;
  if (only !== undefined && running.length === 1) return only;
  throw new UsageError(`Several Runners are known here; name one with --runner: ${known.join(', ')}.`);
}

type LocalCode = 'runner_not_running' | 'runner_answer_invalid' | 'plugin_not_configured';

function localError(code: LocalCode, message?: string): FairleadError {
  const entry = code === 'plugin_not_configured' ? protocolErrors[code] : runnerErrors[code];
  return new FairleadError(code, message ?? entry.message);
}

/** `fairlead runner status`: asked over the Runner's local socket, so it works without a gateway. Exit 3 where none runs. */
export async function runnerStatus(context: CommandContext, flags: LocalFlags): Promise<number> {
  const target = await chooseRunner(context, flags);
  const { runnerId: runner } = target;
  const answer = await readLocalStatus(target);
  if (!answer.ok) {
    if (answer.code !== 'runner_not_running') throw localError(answer.code);
    const report = { runner, running: false, registered: false, plugins: [] };
    context.stdout(flags.json === true ? jsonLine(report) : `Runner ${safeLine(runner)} does not run\n`);
    return exitCodes.unknown;
  }
  const { registered, providers } = answer;
  const plugins = providers.map((row) => ({
    plugin: row.id,
    name: row.name,
    status: row.status,
    errorCode: row.error_code,
  }));
  if (flags.json === true) {
    context.stdout(jsonLine({ runner, running: true, registered, plugins }));
    return exitCodes.done;
  }
  const rows = plugins.map((row) => [row.plugin, row.status, row.errorCode, row.name]);
  context.stdout(
    `Runner ${safeLine(runner)}, ${registered ? 'linked to its gateway' : 'not linked to a gateway'}\n` +
      (rows.length === 0 ? 'no plugin is configured\n' : table(['PLUGIN', 'STATUS', 'CODE', 'NAME'], rows)),
  );
  return exitCodes.done;
}

/** `fairlead runner stderr PLUGIN`: the last lines that it wrote; they never leave this machine. */
export async function runnerStderr(
  context: CommandContext,
  plugin: string,
  flags: LocalFlags,
): Promise<number> {
  const target = await chooseRunner(context, flags);
  const answer = await readStderr({ ...target, plugin });
  if (!answer.ok) throw localError(answer.code);
  const { committed, candidate } = answer.stderr;
  if (flags.json === true) {
    context.stdout(
      jsonLine({ runner: target.runnerId, plugin, committed: plain(committed), candidate: plain(candidate) }),
    );
    return exitCodes.done;
  }
  context.stdout(
    committed === null && candidate === null
      ? `${safeLine(plugin)} has written nothing to stderr: no program of it was started\n`
      : section(`${plugin} wrote to stderr`, `${plugin} has written nothing to stderr`, committed) +
          section(
            'its last candidate, of a check or reload, wrote to stderr',
            'its last candidate, of a check or reload, has written nothing to stderr',
            candidate,
          ),
  );
  await explainFailure(context, target, plugin);
  return exitCodes.done;
}

function section(title: string, empty: string, lines: readonly LocalStderrLine[] | null): string {
  if (lines === null) return '';
  if (lines.length === 0) return `${safeLine(empty)}\n`;
  const body = lines.map((line) => `  ${safeLine(line.text)}${line.truncated ? ' [cut]' : ''}\n`).join('');
  return `${safeLine(title)}:\n${body}`;
}

function plain(lines: readonly LocalStderrLine[] | null) {
  return lines === null ? null : lines.map(({ text, truncated }) => ({ text, truncated }));
}

/** Many a plugin fails before it can write a word: then its code says more than its stderr. */
async function explainFailure(context: CommandContext, target: Target, plugin: string): Promise<void> {
  const answer = await readLocalStatus(target);
  const code = answer.ok ? answer.providers.find((row) => row.id === plugin)?.error_code : undefined;
  if (typeof code !== 'string') return;
  const next = await nextStepOf(code);
  context.stderr(
    `${safeLine(plugin)} failed with ${safeLine(code)}\n${next === null ? '' : `  next: ${next}\n`}`,
  );
}
