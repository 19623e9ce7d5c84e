import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { FairleadError, isJsonObject, type Json, type JsonObject } from '@fairlead/base';
import { isRunnerId, readLocalStatus } from '@fairlead/runner';
import { adminRequest } from '../client/admin-request.ts';
import type { CommandContext } from '../command-context.ts';
import { objectsIn } from '../output/safe-text.ts';
import type { ServerFile } from '../state/server-file.ts';
import { type Finding, ill } from './finding.ts';
import type { SeenPlugin, SeenRunner } from './runners.ts';

/**
 * The Runners that should be there: those with a folder on this machine, those that the host has connected, and those that
 * hold a live token of it. `faults`: why the host could not be asked.
 */
export async function seeRunners(
  context: CommandContext,
  stateDirectory: string,
  server: ServerFile | null,
): Promise<{ readonly runners: readonly SeenRunner[]; readonly faults: readonly Finding[] }> {
  const folders = await readdir(join(stateDirectory, 'runners')).catch(() => []);
  const local = new Set(folders.filter(isRunnerId));
  const asked = server === null ? null : await askHost(context, stateDirectory, server.url);
  const faults = asked instanceof FairleadError ? [hostFault(asked)] : [];
  const host = asked instanceof FairleadError ? null : asked;
  const ids = new Set([...local, ...(host?.connected.keys() ?? []), ...(host?.expected ?? [])]);
  const runners = await Promise.all(
    [...ids].sort().map(async (runner): Promise<SeenRunner> => {
      const isLocal = local.has(runner);
      const isOwned = server?.runner === runner;
      const own = isLocal ? await readLocalStatus({ stateDirectory, runnerId: runner }) : null;
      if (own?.ok === true) {
        const plugins = own.providers.map((row) => ({
          plugin: row.id,
          status: row.status,
          errorCode: row.error_code,
        }));
        return { runner, isLocal, isOwned, state: own.registered ? 'linked' : 'running', plugins };
      }
      const linked = host?.connected.get(runner);
      const state = linked === undefined ? 'absent' : 'linked';
      return { runner, isLocal, isOwned, state, plugins: linked ?? [] };
    }),
  );
  return { runners, faults };
}

type HostView = {
  readonly connected: ReadonlyMap<string, readonly SeenPlugin[]>;
  /** Runner ids of live tokens. */
  readonly expected: readonly string[];
};

async function askHost(
  context: CommandContext,
  stateDirectory: string,
  url: string,
): Promise<HostView | FairleadError> {
  const ask = (path: string) => adminRequest(context, { url, stateDirectory, method: 'GET', path });
  try {
    const [status, listing] = [await ask('/api/admin/status'), await ask('/api/admin/tokens')];
    const connected = new Map(
      members(status, 'runners').map((row) => [
        String(row['runner']),
        objectsIn(row['plugins']).map(pluginOf),
      ]),
    );
    const nowMs = context.clock.wallMs();
    const expected = members(listing, 'tokens')
      .filter((token) => isLive(token, nowMs))
      .flatMap((token) => (typeof token['runner'] === 'string' ? [token['runner']] : []));
    return { connected, expected };
  } catch (error) {
    if (error instanceof FairleadError) return error;
    throw error;
  }
}

function hostFault({ code, message }: FairleadError): Finding {
  return ill('fail', { check: 'host', what: message, code });
}

function members(output: Json, name: string): JsonObject[] {
  return isJsonObject(output) ? objectsIn(output[name]) : [];
}

function pluginOf(row: JsonObject): SeenPlugin {
  const { plugin, status, errorCode } = row;
  return {
    plugin: String(plugin),
    status: String(status),
    errorCode: typeof errorCode === 'string' ? errorCode : null,
  };
}

function isLive({ kind, revokedAtMs, expiresAtMs }: JsonObject, nowMs: number): boolean {
  if (kind !== 'runner' || typeof revokedAtMs === 'number') return false;
  return typeof expiresAtMs !== 'number' || expiresAtMs > nowMs;
}
