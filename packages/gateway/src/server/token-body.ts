import { isJsonObject, type Json } from '@fairlead/base';
import type { PersonalTokenRequest, RunnerTokenRequest } from '../auth/tokens.ts';

/** The token that `POST /api/admin/tokens` asks for, or which member is wrong. */
export type TokenBody =
  | { readonly ok: true; readonly kind: 'personal'; readonly request: PersonalTokenRequest }
  | { readonly ok: true; readonly kind: 'runner'; readonly request: RunnerTokenRequest }
  | { readonly ok: false; readonly member: string; readonly problem: string };

const PERSONAL_MEMBERS: ReadonlySet<string> = new Set(['name', 'scopes', 'runners', 'expiresInMs']);
const RUNNER_MEMBERS: ReadonlySet<string> = new Set(['runner', 'name', 'expiresInMs']);

/** Reads `{name, scopes, runners?, expiresInMs?}` or `{runner, name?, expiresInMs?}`; a member that is null counts as absent. */
export function readTokenBody(body: Json): TokenBody {
  if (!isJsonObject(body)) return wrong('body', 'must be a JSON object');
  const isRunner = (body['runner'] ?? null) !== null;
  const members = isRunner ? RUNNER_MEMBERS : PERSONAL_MEMBERS;
  for (const [member, value] of Object.entries(body)) {
    if (value !== null && !members.has(member))
      return wrong(printable(member), 'is not a member of this request');
  }
  const lifetime = body['expiresInMs'] ?? undefined;
  if (lifetime !== undefined && typeof lifetime !== 'number') return wrong('expiresInMs', 'must be a number');
  const common = lifetime === undefined ? {} : { lifetimeMs: lifetime };
  const name = body['name'] ?? undefined;
  if (isRunner) {
    const { runner } = body;
    if (typeof runner !== 'string') return wrong('runner', 'must be a runner id');
    if (name !== undefined && typeof name !== 'string') return wrong('name', 'must be a text');
    return {
      ok: true,
      kind: 'runner',
      request: { runner, ...common, ...(name === undefined ? {} : { name }) },
    };
  }
  if (typeof name !== 'string') return wrong('name', 'must be a text');
  const scopes = body['scopes'];
  if (!isTextList(scopes)) return wrong('scopes', 'must be a list of scopes');
  const runners = body['runners'] ?? undefined;
  if (runners === undefined) return { ok: true, kind: 'personal', request: { name, scopes, ...common } };
  if (!isTextList(runners)) return wrong('runners', 'must be a list of runner ids');
  return { ok: true, kind: 'personal', request: { name, scopes, runners, ...common } };
}

function isTextList(value: Json | undefined): value is readonly string[] {
  return Array.isArray(value) && value.every((item: Json) => typeof item === 'string');
}

function printable(member: string): string {
  return /^[A-Za-z0-9_]{1,64}$/.test(member) ? member : 'body';
}

function wrong(member: string, problem: string): TokenBody {
  return { ok: false, member, problem };
}
