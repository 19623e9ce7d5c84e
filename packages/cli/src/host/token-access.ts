import { join } from 'node:path';
import type { Json } from '@fairlead/base';
import { createTokens, type Tokens } from '@fairlead/gateway';
import { openStore } from '@fairlead/store';
import { cliError } from '../cli-error.ts';
import { adminRequest } from '../client/admin-request.ts';
import type { CommandContext } from '../command-context.ts';
import { awaitHost, findHost } from '../owner/host-in-charge.ts';
import { nameFile } from '../state/name-file.ts';
import { takeStateDirectory } from '../state/state-folder.ts';

/** The same wish in both ways: as a request to the host, and as something done to the table itself. */
export type TokenWish = {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly body?: Json;
  readonly offline: (tokens: Tokens) => Promise<Json>;
};

/**
 * Asks the process that owns the state directory; where none runs, takes the directory and does it itself.
 * Throws `state_directory_in_use` where the owner does not answer, and what `adminRequest` and `Tokens` throw.
 */
export async function withTokens(
  context: CommandContext,
  stateDirectory: string,
  wish: TokenWish,
): Promise<Json> {
  const { offline, ...request } = wish;
  const ask = (url: string) => adminRequest(context, { url, stateDirectory, ...request });
  const server = await findHost(context, stateDirectory);
  if (server !== null) return ask(server.url);
  await using lock = await takeStateDirectory(stateDirectory);
  if (lock === null) {
    const late = await awaitHost(context, stateDirectory);
    if (late !== null) return ask(late.url);
    throw cliError('state_directory_in_use', {
      message: `Another process owns ${stateDirectory} and does not answer.`,
    });
  }
  const { clock, random } = context;
  const path = join(stateDirectory, 'fairlead.db');
  await using store = await nameFile(path, () => openStore({ path, clock }));
  return offline(await createTokens({ store, clock, random }));
}
