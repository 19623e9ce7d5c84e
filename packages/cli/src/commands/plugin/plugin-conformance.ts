import { resolve } from 'node:path';
import { FairleadError } from '@fairlead/base';
import {
  type CallRequest,
  callRequestOf,
  reportJson,
  reportText,
  runConformance,
} from '@fairlead/plugin-conformance';
import type { CommandContext } from '../../command-context.ts';
import { exitCodes } from '../../exit-codes.ts';
import { printError } from '../../output/error-output.ts';
import { jsonLine } from '../../output/safe-text.ts';
import { UsageError } from '../../usage-error.ts';

type ConformanceFlags = {
  readonly call?: readonly string[];
  readonly cwd?: string;
  readonly timeoutSecs?: number;
  readonly json?: boolean;
};

/**
 * `fairlead plugin conformance -- COMMAND ARGS…`: holds a program against every clause of the plugin wire. Exit 0 where nothing
 * failed, 1 where something did, 2 where nothing could be looked at, or a `--call` could not be made.
 */
export async function pluginConformance(
  context: CommandContext,
  words: readonly string[],
  flags: ConformanceFlags,
): Promise<number> {
  const [command = '', ...args] = words;
  const { platform, clock, random, env } = context;
  const { call = [], cwd = '.', timeoutSecs, json } = flags;
  const calls = call.map(callOf);
  context.stderr(
    'fairlead: conformance really starts the program, several times, and calls its read-only tools\n',
  );
  const report = await runConformance({
    plugin: { command, args, cwd: resolve(context.cwd, cwd), env },
    calls,
    platform,
    clock,
    random,
    ...(timeoutSecs === undefined ? {} : { timeoutMs: timeoutSecs * 1000 }),
  });
  if (!report.ok) {
    const message = `The program could not be started: ${report.localDetail}.`;
    await printError(context, new FairleadError(report.code, message));
    return exitCodes.usage;
  }
  context.stdout(json === true ? jsonLine(reportJson(report)) : reportText(report));
  if (!report.passed) return exitCodes.failed;
  return report.notMade.length > 0 ? exitCodes.usage : exitCodes.done;
}

function callOf(text: string): CallRequest {
  const call = callRequestOf(text);
  if (call === null) throw new UsageError('--call takes TOOL=JSON, the JSON being an object of arguments.');
  return call;
}
