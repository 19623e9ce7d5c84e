import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import type { FairleadError } from '@fairlead/base';
import { cliError } from '../cli-error.ts';
import { clientLimits } from '../limits.ts';
import { readBounded } from '../state/read-bounded.ts';

/** Where a personal token may come from, first found first: flag, file, both variables of the env file, both of the environment, operator token. */
export type TokenInputs = {
  readonly token?: string | undefined;
  readonly tokenFile?: string | undefined;
  /** `--env-file`. */
  readonly envFile?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly stateDirectory: string;
  /**
   * The operator token belongs to the process that wrote `server.json`, and is sent to no other address: `allowed` there,
   * `other_address` elsewhere, `no_host` where no such process runs.
   */
  readonly operatorToken: 'allowed' | 'other_address' | 'no_host';
};

export const operatorTokenFile = 'operator.token';

/** The token of this machine's Runner, as `fairlead runner join` wrote it. */
export const runnerTokenFile = 'runner.token';

/**
 * The token to send. Throws `token_missing` where there is none, `token_file_unreadable`, `token_malformed`, and
 * `runner_token_refused` for a Runner's token, which is refused here before anything is sent.
 */
export async function findToken(inputs: TokenInputs): Promise<string> {
  const token = await firstToken(inputs);
  if (token === null) {
    throw missingToken(inputs);
  }
  if (token.startsWith('fairlead_runner_')) throw cliError('runner_token_refused');
  return sendable(token);
}

function missingToken({ stateDirectory, operatorToken }: TokenInputs): FairleadError {
  const looked_in = ['--token', '--token-file', '--env-file', 'FAIRLEAD_TOKEN', 'FAIRLEAD_PAT'];
  if (operatorToken === 'allowed') looked_in.push(join(stateDirectory, operatorTokenFile));
  const why = {
    allowed: 'none was found',
    other_address: `the operator token of ${stateDirectory} is sent to its own host alone`,
    no_host: `no host is ready on ${stateDirectory}`,
  };
  const message = `No token was given and ${why[operatorToken]}; nothing was sent.`;
  return cliError('token_missing', { message, detail: { looked_in } });
}

/** Where a Runner's token may come from: `--token-file`, `FAIRLEAD_RUNNER_TOKEN`, `token` of runner.toml, `runner.token`. */
export type RunnerTokenInputs = {
  readonly tokenFile?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly configToken?: string | undefined;
  readonly stateDirectory: string;
};

/** The Runner's token. Throws `runner_token_missing`, `token_file_unreadable`, `token_malformed`, `personal_token_refused`. */
export async function findRunnerToken(inputs: RunnerTokenInputs): Promise<string> {
  const { tokenFile, env, cwd, configToken, stateDirectory } = inputs;
  const token =
    tokenFile === undefined
      ? (wordOf(env['FAIRLEAD_RUNNER_TOKEN']) ?? wordOf(configToken) ?? (await joinedToken(stateDirectory)))
      : await readTokenFile(resolve(cwd, tokenFile));
  if (token === null) throw cliError('runner_token_missing');
  if (token.startsWith('fairlead_pat_')) throw cliError('personal_token_refused');
  return sendable(token);
}

/** Null where this machine has not joined. */
async function joinedToken(stateDirectory: string): Promise<string | null> {
  const path = join(stateDirectory, runnerTokenFile);
  return existsSync(path) ? readTokenFile(path) : null;
}

async function firstToken(inputs: TokenInputs): Promise<string | null> {
  const { token, tokenFile, envFile, env, cwd, stateDirectory } = inputs;
  if (token !== undefined) return token.trim();
  if (tokenFile !== undefined) return readTokenFile(resolve(cwd, tokenFile));
  const file = envFile === undefined ? {} : await readEnvFile(resolve(cwd, envFile));
  const found = fromVariables(file) ?? fromVariables(env);
  if (found !== null) return found;
  if (inputs.operatorToken !== 'allowed') return null;
  return readTokenFile(join(stateDirectory, operatorTokenFile)).catch(() => null);
}

function fromVariables(variables: Readonly<Record<string, string | undefined>>): string | null {
  return wordOf(variables['FAIRLEAD_TOKEN']) ?? wordOf(variables['FAIRLEAD_PAT']);
}

/** `NAME=value` lines, as Node itself reads them for its own flag of this name. Nothing of the file but the two names is used. */
async function readEnvFile(path: string): Promise<Readonly<Record<string, string | undefined>>> {
  const { envFileBytes } = clientLimits;
  const bytes = await readBounded(path, envFileBytes).catch((cause: unknown) => {
    throw cliError('env_file_unreadable', { message: `The env file ${path} cannot be read.`, cause });
  });
  if (bytes.length > envFileBytes) throw cliError('env_file_unreadable');
  return parseEnv(bytes.toString('utf8'));
}

/** A variable that is blank is how shells and unit files say "unset". */
function wordOf(text: string | undefined): string | null {
  const word = text?.trim() ?? '';
  return word === '' ? null : word;
}

async function readTokenFile(path: string): Promise<string> {
  let bytes: Buffer;
  try {
    bytes = await readBounded(path, clientLimits.tokenFileBytes);
  } catch (cause) {
    throw cliError('token_file_unreadable', { message: `The token file ${path} cannot be read.`, cause });
  }
  const token = bytes.length > clientLimits.tokenFileBytes ? null : wordOf(bytes.toString('utf8'));
  if (token === null) {
    throw cliError('token_file_unreadable', { message: `The token file ${path} does not hold a token.` });
  }
  return token;
}

/** What cannot stand in a header must not reach one: the message of the HTTP client would quote it. */
function sendable(token: string): string {
  if (!/^[\x21-\x7e]{1,512}$/.test(token)) throw cliError('token_malformed');
  return token;
}
