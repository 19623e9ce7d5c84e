import { FairleadError, isJsonObject, type Json, type JsonObject } from '@fairlead/base';
import { gatewayErrors, type MintedToken } from '@fairlead/gateway';
import { cliError } from '../../cli-error.ts';
import type { CommandContext } from '../../command-context.ts';
import { exitCodes } from '../../exit-codes.ts';
import { type TokenWish, withTokens } from '../../host/token-access.ts';
import { jsonLine, objectsIn, safeLine } from '../../output/safe-text.ts';
import { table } from '../../output/table.ts';
import { resolveStateDirectory } from '../../state/state-directory.ts';
import { UsageError } from '../../usage-error.ts';
import { parseLifetime } from './token-lifetime.ts';

type SharedFlags = { readonly stateDir?: string; readonly json?: boolean };

type CreateFlags = SharedFlags & {
  readonly name?: string;
  readonly scopes?: string;
  readonly runners?: string;
  readonly runner?: string;
  readonly expires?: string;
};

/** `fairlead token create`: a personal token with `--scopes`, or a Runner's with `--runner`. Prints the secret once. */
export async function tokenCreate(context: CommandContext, flags: CreateFlags): Promise<number> {
  const wish = flags.runner === undefined ? personalWish(flags) : runnerWish(flags, flags.runner);
  const output = await ask(context, flags, wish);
  if (!isJsonObject(output) || typeof output['secret'] !== 'string' || !isJsonObject(output['token'])) {
    throw cliError('answer_lost', { message: 'The host answered without a token.' });
  }
  if (flags.json === true) {
    context.stdout(jsonLine(output));
    return exitCodes.done;
  }
  const { id, expiresAtMs } = output['token'];
  const end = typeof expiresAtMs === 'number' ? `valid until ${day(expiresAtMs)}` : 'without an end';
  context.stdout(`${output['secret']}\n`);
  context.stderr(`token ${safeLine(id)}, ${end}; it is not shown again\n`);
  return exitCodes.done;
}

function personalWish(flags: CreateFlags): TokenWish {
  const { name, scopes: scopeList, runners: runnerList } = flags;
  if (name === undefined || scopeList === undefined) {
    throw new UsageError('A personal token needs --name and --scopes, a Runner token needs --runner.');
  }
  const scopes = words(scopeList);
  const runners = runnerList === undefined ? undefined : words(runnerList);
  const lifetimeMs = lifetimeOf(flags);
  return {
    method: 'POST',
    path: '/api/admin/tokens',
    body: { name, scopes, ...(runners === undefined ? {} : { runners }), ...lifetimeMember(lifetimeMs) },
    offline: async (tokens) => jsonOf(await tokens.mint({ name, scopes, runners, lifetimeMs })),
  };
}

function runnerWish(flags: CreateFlags, runner: string): TokenWish {
  if (flags.scopes !== undefined || flags.runners !== undefined) {
    throw new UsageError('A Runner token has no scopes and one Runner: leave out --scopes and --runners.');
  }
  const { name } = flags;
  const lifetimeMs = lifetimeOf(flags);
  return {
    method: 'POST',
    path: '/api/admin/tokens',
    body: { runner, ...(name === undefined ? {} : { name }), ...lifetimeMember(lifetimeMs) },
    offline: async (tokens) => jsonOf(await tokens.mintRunner({ runner, name, lifetimeMs })),
  };
}

function lifetimeOf({ expires }: CreateFlags): number | undefined {
  return expires === undefined ? undefined : parseLifetime(expires);
}

function lifetimeMember(lifetimeMs: number | undefined): JsonObject {
  return lifetimeMs === undefined ? {} : { expiresInMs: lifetimeMs };
}

function jsonOf({ secret, token }: MintedToken): Json {
  return { secret, token: { ...token } };
}

function words(list: string): string[] {
  return list
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
}

function ask(context: CommandContext, flags: SharedFlags, wish: TokenWish): Promise<Json> {
  return withTokens(context, resolveStateDirectory({ flag: flags.stateDir, ...context }), wish);
}

/** `fairlead token list`. */
export async function tokenList(context: CommandContext, flags: SharedFlags): Promise<number> {
  const output = await ask(context, flags, {
    method: 'GET',
    path: '/api/admin/tokens',
    offline: async (tokens) => ({ tokens: tokens.list().map((token) => ({ ...token })) }),
  });
  if (flags.json === true) {
    context.stdout(jsonLine(output));
    return exitCodes.done;
  }
  const tokens = isJsonObject(output) ? objectsIn(output['tokens']) : [];
  const nowMs = context.clock.wallMs();
  const rows = tokens.map((token) => [
    token['id'],
    token['kind'],
    token['name'],
    stateOf(token, nowMs),
    reachOf(token),
  ]);
  const headings = ['ID', 'KIND', 'NAME', 'STATE', 'OPENS'];
  context.stdout(rows.length === 0 ? 'there is no token\n' : table(headings, rows));
  return exitCodes.done;
}

function reachOf(token: JsonObject): string {
  if (token['kind'] === 'runner') return `the link of Runner ${safeLine(token['runner'])}`;
  const listed = (list: Json | undefined) => (Array.isArray(list) ? list.map(safeLine).join(' ') : '');
  const runners = listed(token['runners']);
  return `${listed(token['scopes'])}${runners === '' ? '' : `, on ${runners} alone`}`;
}

function stateOf(token: JsonObject, nowMs: number): string {
  const { revokedAtMs, expiresAtMs } = token;
  if (typeof revokedAtMs === 'number') return `revoked ${day(revokedAtMs)}`;
  if (typeof expiresAtMs !== 'number') return 'valid';
  return `${expiresAtMs <= nowMs ? 'expired' : 'valid until'} ${day(expiresAtMs)}`;
}

function day(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

/** `fairlead token revoke ID`: ends it at once; a Runner's link ends with it. */
export async function tokenRevoke(context: CommandContext, id: string, flags: SharedFlags): Promise<number> {
  const output = await ask(context, flags, {
    method: 'DELETE',
    path: `/api/admin/tokens/${encodeURIComponent(id)}`,
    offline: async (tokens) => {
      if (await tokens.revoke(id)) return { id, revoked: true };
      throw new FairleadError('token_not_found', gatewayErrors.token_not_found.message);
    },
  });
  context.stdout(flags.json === true ? jsonLine(output) : `revoked ${safeLine(id)}\n`);
  return exitCodes.done;
}
