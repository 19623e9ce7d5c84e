import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { FairleadError, isJsonObject } from '@fairlead/base';
import { isRunnerId } from '@fairlead/runner';
import { cliError } from '../../cli-error.ts';
import { type Envelope, parseServerUrl, sendOnce } from '../../client/api-client.ts';
import { findProxy, isLoopback, type ProxyInputs } from '../../client/find-proxy.ts';
import { runnerTokenFile } from '../../client/token-source.ts';
import type { CommandContext } from '../../command-context.ts';
import { exitCodes } from '../../exit-codes.ts';
import { answerTimeoutMs } from '../../limits.ts';
import { withProgress } from '../../output/progress.ts';
import { safeLine } from '../../output/safe-text.ts';
import { joinedRunnerFile } from '../../runner-file/joined-runner-file.ts';
import { createPrivateFile } from '../../state/private-file.ts';
import { resolveStateDirectory } from '../../state/state-directory.ts';
import { makeStateDirectory } from '../../state/state-folder.ts';
import { runnerRun } from './runner-run.ts';

type JoinFlags = {
  readonly stateDir?: string;
  readonly proxy?: string;
  /** False for `--no-system-proxy`. */
  readonly systemProxy?: boolean;
  /** False for `--no-start`. */
  readonly start?: boolean;
  readonly allowInsecure?: boolean;
};

/**
 * `fairlead runner join URL CODE`: shows the code to the gateway, writes `runner.toml` and `runner.token` (both 0600, never
 * over an older one), and runs the Runner. Everything that can be refused here is, before the code is spent. Throws
 * `insecure_address`, `runner_file_exists`, `join_unreachable`, `answer_lost`, `access_refused`, `pairing_unfinished`, or
 * what the gateway refused it with.
 */
export async function runnerJoin(
  context: CommandContext,
  given: { readonly url: string; readonly code: string },
  flags: JoinFlags,
): Promise<number> {
  const address = parseServerUrl(given.url, '');
  if (address.protocol === 'http:' && !isLoopback(address.hostname) && flags.allowInsecure !== true) {
    throw cliError('insecure_address');
  }
  const stateDirectory = resolveStateDirectory({ flag: flags.stateDir, ...context });
  const files = {
    config: join(stateDirectory, 'runner.toml'),
    token: join(stateDirectory, runnerTokenFile),
  };
  const present = Object.values(files).find((path) => existsSync(path));
  if (present !== undefined) throw cliError('runner_file_exists', { detail: { file: present } });
  await makeStateDirectory(stateDirectory);
  const { proxy, systemProxy } = flags;
  const { runner, token } = await redeem(context, given, { proxy, systemProxy, env: context.env });
  await writeFiles(files, { token, config: joinedRunnerFile(runner, given.url) });
  context.stderr(
    `fairlead: this machine is Runner ${safeLine(runner)} now; its plugins stand in ${files.config}\n`,
  );
  if (flags.start === false) return exitCodes.done;
  const { stateDir } = flags;
  return runnerRun(context, {
    ...(stateDir === undefined ? {} : { stateDir }),
    ...(proxy === undefined ? {} : { proxy }),
    ...(systemProxy === undefined ? {} : { systemProxy }),
  });
}

async function redeem(
  context: CommandContext,
  { url, code }: { readonly url: string; readonly code: string },
  proxies: ProxyInputs,
): Promise<{ readonly runner: string; readonly token: string }> {
  const answer = await withProgress(context, 'waiting for the gateway', () =>
    sendOnce({
      clock: context.clock,
      serverUrl: url,
      path: '/api/runner/pair',
      method: 'POST',
      body: { code },
      timeoutMs: answerTimeoutMs.admin,
      proxy: findProxy(parseServerUrl(url, '/'), proxies),
    }),
  );
  switch (answer.kind) {
    case 'answered':
      return pairedOf(answer.envelope);
    case 'refused':
      throw cliError('access_refused', { detail: { status: answer.status } });
    case 'unsent':
      throw cliError('join_unreachable', { detail: { address: url, reason: answer.reason } });
    case 'lost':
      throw lost(answer.reason);
  }
}

function pairedOf({ error, output }: Envelope): { readonly runner: string; readonly token: string } {
  if (error !== null) throw new FairleadError(error.code, error.message);
  const { runner, token } = isJsonObject(output) ? output : {};
  const isWhole =
    typeof runner === 'string' &&
    isRunnerId(runner) &&
    typeof token === 'string' &&
    /^fairlead_runner_[\w-]{1,128}$/.test(token);
  if (!isWhole) throw lost('an answer without a Runner id and its token');
  return { runner, token };
}

function lost(reason: string): FairleadError {
  const message = 'The code was sent, and no whole answer came back: it may be spent.';
  return cliError('answer_lost', { message, detail: { reason, to_do: 'make a new code on the gateway' } });
}

/** The token first: a runner.toml without it would look like a Runner that only lacks a flag. */
async function writeFiles(
  files: { readonly token: string; readonly config: string },
  texts: { readonly token: string; readonly config: string },
): Promise<void> {
  try {
    if (
      (await createPrivateFile(files.token, `${texts.token}\n`)) &&
      (await createPrivateFile(files.config, texts.config))
    )
      return;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : 'unknown';
    throw cliError('pairing_unfinished', { detail: { reason }, cause });
  }
  throw cliError('pairing_unfinished', {
    detail: { reason: 'another process made the files at the same time' },
  });
}
