import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { FairleadError } from '@fairlead/base';
import { createLog } from '@fairlead/gateway';
import { readRunnerConfig, startRunner } from '@fairlead/runner';
import type { CommandContext } from '../command-context.ts';
import { exitCodes } from '../exit-codes.ts';
import { makeStateDirectory } from '../host/state-folder.ts';
import { watchNpm } from '../parent-watch.ts';
import { resolveStateDirectory } from '../state-directory.ts';
import { stopOnSignals } from '../stop-signals.ts';

type RunFlags = {
  readonly stateDir?: string;
  readonly config?: string;
  readonly serverUrl?: string;
  readonly tokenFile?: string;
};

/** `fairlead runner run`: a Runner of its own, dialling a gateway, until it is told to stop. Its log goes to stderr. */
export async function runnerRun(context: CommandContext, flags: RunFlags): Promise<number> {
  const { env, cwd, platform, clock, random } = context;
  const stateDirectory = resolveStateDirectory({ flag: flags.stateDir, ...context });
  const configPath =
    flags.config === undefined ? join(stateDirectory, 'runner.toml') : resolve(cwd, flags.config);
  const file = await readRunnerConfig(configPath, platform);
  if (!file.ok) throw new FairleadError(file.code, `${configPath}: ${file.localDetail}`);
  const { clientId, serverUrl, token: fileToken } = file.config;
  if (clientId === undefined) throw new FairleadError('runner_id_missing', `${configPath} has no client_id`);
  const gatewayUrl = flags.serverUrl ?? serverUrl;
  if (gatewayUrl === undefined) throw new FairleadError('server_url_missing', 'no gateway was named');
  const token = await findRunnerToken(context, flags.tokenFile, fileToken);
  await makeStateDirectory(stateDirectory);
  const stop = stopOnSignals();
  const stopWatching = watchNpm({ env, parentPid: () => process.ppid, clock, onGone: stop.ask });
  try {
    const log = createLog({ write: (line) => context.stderr(line), clock });
    await using runner = await startRunner({
      configPath,
      runnerId: clientId,
      gatewayUrl,
      token,
      stateDirectory,
      env,
      cwd,
      platform,
      clock,
      random,
      log,
    });
    const fault = await Promise.race([stop.asked, runner.fatal]);
    if (fault instanceof FairleadError) throw fault;
    return exitCodes.done;
  } finally {
    stopWatching();
    stop.release();
  }
}

/** `--token-file`, else `FAIRLEAD_RUNNER_TOKEN`, else `token` of the file. Throws `token_missing`, `token_file_unreadable`. */
async function findRunnerToken(
  context: CommandContext,
  tokenFile: string | undefined,
  fileToken: string | undefined,
): Promise<string> {
  if (tokenFile !== undefined) {
    try {
      return (await readFile(resolve(context.cwd, tokenFile), 'utf8')).trim();
    } catch (cause) {
      throw new FairleadError('token_file_unreadable', `the token file ${tokenFile} cannot be read`, {
        cause,
      });
    }
  }
  const token = context.env['FAIRLEAD_RUNNER_TOKEN']?.trim() || fileToken;
  if (token === undefined) {
    throw new FairleadError('runner_token_missing', 'no Runner token was given and none was found');
  }
  return token;
}
