import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FairleadError } from '@fairlead/base';

/** Where a personal token may come from, first found first: flag, file, `FAIRLEAD_TOKEN`, `FAIRLEAD_PAT`, operator token. */
export type TokenInputs = {
  readonly token?: string | undefined;
  readonly tokenFile?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stateDirectory: string;
  /** The operator token belongs to the process that wrote `server.json`, and is sent to no other address. */
  readonly operatorTokenAllowed: boolean;
};

export const operatorTokenFile = 'operator.token';

/**
 * The token to send. Throws `token_missing` where there is none, `token_file_unreadable`, and `runner_token_refused` for a
 * Runner's token, which is refused here before anything is sent.
 */
export async function findToken(inputs: TokenInputs): Promise<string> {
  const token = await firstToken(inputs);
  if (token === null) {
    throw new FairleadError('token_missing', 'no token was given and none was found', {
      detail: { looked_in: ['--token', '--token-file', 'FAIRLEAD_TOKEN', 'FAIRLEAD_PAT'] },
    });
  }
  if (token.startsWith('fairlead_runner_')) {
    throw new FairleadError(
      'runner_token_refused',
      'this is a Runner token; it opens the Runner link and nothing else',
    );
  }
  // What cannot be in a header must not reach one: the message of the HTTP client would quote it.
  if (!/^[\x21-\x7e]{1,512}$/.test(token)) {
    throw new FairleadError('token_malformed', 'the token holds characters that no token has');
  }
  return token;
}

async function firstToken(inputs: TokenInputs): Promise<string | null> {
  if (inputs.token !== undefined) return inputs.token.trim();
  if (inputs.tokenFile !== undefined) return readTokenFile(inputs.tokenFile);
  for (const name of ['FAIRLEAD_TOKEN', 'FAIRLEAD_PAT']) {
    const value = inputs.env[name]?.trim();
    if (value !== undefined && value !== '') return value;
  }
  if (!inputs.operatorTokenAllowed) return null;
  try {
    return (await readFile(join(inputs.stateDirectory, operatorTokenFile), 'utf8')).trim();
  } catch {
    return null;
  }
}

async function readTokenFile(path: string): Promise<string> {
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch (cause) {
    throw new FairleadError('token_file_unreadable', `the token file ${path} cannot be read`, { cause });
  }
}
