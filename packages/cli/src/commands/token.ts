import { join } from 'node:path';
import { FairleadError, isJsonObject, type Json, type JsonObject } from '@fairlead/base';
import { createTokens, type Tokens } from '@fairlead/gateway';
import { openStore } from '@fairlead/store';
import { adminRequest, answersHealth } from '../admin-request.ts';
import type { CommandContext } from '../command-context.ts';
import { exitCodes } from '../exit-codes.ts';
import { takeStateDirectory } from '../host/state-folder.ts';
import { parseLifetime } from '../lifetime.ts';
import { objectsIn, safeLine, table } from '../plugin-output.ts';
import { readServerFile } from '../server-file.ts';
import { resolveStateDirectory } from '../state-directory.ts';
import { UsageError } from '../usage-error.ts';

type SharedFlags = { readonly stateDir?: string; readonly json?: boolean };

type CreateFlags = SharedFlags & {
  readonly name?: string;
  readonly scopes?: string;
  readonly runners?: string;
  readonly runner?: string;
  readonly expires?: string;
};

/**
 * Asks the process that owns the state directory; where none runs, takes the directory and does it itself.
 * Throws `state_directory_in_use` where the owner does not answer.
 */
async function withTokens(
  context: CommandContext,
  flags: SharedFlags,
  online: { readonly method: 'GET' | 'POST' | 'DELETE'; readonly path: string; readonly body?: Json },
  offline: (tokens: Tokens) => Promise<Json>,
): Promise<Json> {
  const stateDirectory = resolveStateDirectory({ flag: flags.stateDir, ...context });
  const server = await readServerFile(stateDirectory);
  if (server !== null && (await answersHealth(server.url))) {
    return adminRequest({ url: server.url, stateDirectory, ...online });
  }
  await using lock = await takeStateDirectory(stateDirectory);
  if (lock === null) {
    throw new FairleadError(
      'state_directory_in_use',
      `another process owns ${stateDirectory} and does not answer`,
    );
  }
  await using store = await openStore({ path: join(stateDirectory, 'fairlead.db'), clock: context.clock });
  return offline(await createTokens({ store, clock: context.clock, random: context.random }));
}

/** `fairlead token create`: a personal token with `--scopes`, or a Runner's with `--runner`. Prints the secret once. */
export async function tokenCreate(context: CommandContext, flags: CreateFlags): Promise<number> {
  const lifetimeMs = flags.expires === undefined ? undefined : parseLifetime(flags.expires);
  const output =
    flags.runner === undefined
      ? await personal(context, flags, lifetimeMs)
      : await forRunner(context, flags, flags.runner, lifetimeMs);
  if (!isJsonObject(output) || typeof output['secret'] !== 'string' || !isJsonObject(output['token'])) {
    throw new FairleadError('internal_error', 'the server made no token');
  }
  if (flags.json === true) {
    context.stdout(`${JSON.stringify(output)}\n`);
    return exitCodes.done;
  }
  context.stdout(`${output['secret']}\n`);
  const expires = output['token']['expiresAtMs'];
  context.stderr(
    `token ${safeLine(output['token']['id'])}, ${typeof expires === 'number' ? `valid until ${day(expires)}` : 'without an end'}; it is not shown again\n`,
  );
  return exitCodes.done;
}

function personal(
  context: CommandContext,
  flags: CreateFlags,
  lifetimeMs: number | undefined,
): Promise<Json> {
  const { name, scopes: scopeList, runners: runnerList } = flags;
  if (name === undefined || scopeList === undefined) {
    throw new UsageError('a personal token needs --name and --scopes; a Runner token needs --runner');
  }
  const scopes = words(scopeList);
  const runners = runnerList === undefined ? undefined : words(runnerList);
  const body = { name, scopes, ...(runners === undefined ? {} : { runners }), ...lifetimeMember(lifetimeMs) };
  return withTokens(context, flags, { method: 'POST', path: '/api/admin/tokens', body }, async (tokens) => {
    return (await tokens.mint({ name, scopes, runners, lifetimeMs })) as unknown as Json;
  });
}

function forRunner(
  context: CommandContext,
  flags: CreateFlags,
  runner: string,
  lifetimeMs: number | undefined,
): Promise<Json> {
  if (flags.scopes !== undefined || flags.runners !== undefined) {
    throw new UsageError('a Runner token has no scopes and one Runner: leave out --scopes and --runners');
  }
  const { name } = flags;
  const body = { runner, ...(name === undefined ? {} : { name }), ...lifetimeMember(lifetimeMs) };
  return withTokens(context, flags, { method: 'POST', path: '/api/admin/tokens', body }, async (tokens) => {
    return (await tokens.mintRunner({ runner, name, lifetimeMs })) as unknown as Json;
  });
}

function lifetimeMember(lifetimeMs: number | undefined): JsonObject {
  return lifetimeMs === undefined ? {} : { expiresInMs: lifetimeMs };
}

function words(list: string): string[] {
  return list
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
}

/** `fairlead token list`. */
export async function tokenList(context: CommandContext, flags: SharedFlags): Promise<number> {
  const output = await withTokens(
    context,
    flags,
    { method: 'GET', path: '/api/admin/tokens' },
    async (tokens) => ({
      tokens: tokens.list() as unknown as Json,
    }),
  );
  if (flags.json === true) {
    context.stdout(`${JSON.stringify(output)}\n`);
    return exitCodes.done;
  }
  const tokens = isJsonObject(output) ? objectsIn(output['tokens']) : [];
  const rows = tokens.map((token) => [
    safeLine(token['id']),
    safeLine(token['kind']),
    safeLine(token['name']),
    state(context, token),
    token['kind'] === 'runner' ? `Runner ${safeLine(token['runner'])}` : listed(token['scopes']),
  ]);
  context.stdout(
    rows.length === 0 ? 'there is no token\n' : table([['ID', 'KIND', 'NAME', 'STATE', 'OPENS'], ...rows]),
  );
  return exitCodes.done;
}

function listed(scopes: Json | undefined): string {
  return Array.isArray(scopes) ? scopes.map(safeLine).join(' ') : '';
}

function state(context: CommandContext, token: JsonObject): string {
  if (typeof token['revokedAtMs'] === 'number') return `revoked ${day(token['revokedAtMs'])}`;
  const expires = token['expiresAtMs'];
  if (typeof expires !== 'number') return 'valid';
  return expires <= context.clock.wallMs() ? `expired ${day(expires)}` : `valid until ${day(expires)}`;
}

function day(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

/** `fairlead token revoke ID`: ends it at once; a Runner's link ends with it. */
export async function tokenRevoke(context: CommandContext, id: string, flags: SharedFlags): Promise<number> {
  const path = `/api/admin/tokens/${encodeURIComponent(id)}`;
  const output = await withTokens(context, flags, { method: 'DELETE', path }, async (tokens) => {
    if (await tokens.revoke(id)) return { id, revoked: true };
    throw new FairleadError('token_not_found', 'there is no token with this id');
  });
  context.stdout(flags.json === true ? `${JSON.stringify(output)}\n` : `revoked ${safeLine(id)}\n`);
  return exitCodes.done;
}
