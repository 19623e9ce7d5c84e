import type { Json, JsonObject } from '@fairlead/base';
import type { Grants } from './grants.ts';
import { WORKSPACE } from './in-place.ts';

/**
 * Grants as a session's record holds them; `readGrants` reads them back. What stands in `workspace`, an absolute folder of this machine, is
 * written as `$workspace`.
 */
export function grantsRecord({ shell, network, fs }: Grants, workspace?: string): JsonObject {
  const paths = (list: readonly string[] | undefined) => list?.map((path) => portable(path, workspace));
  const endpoints = network?.endpoints?.map(({ host, pathPrefix, methods }) =>
    defined({ host, path_prefix: pathPrefix, methods }),
  );
  return defined({
    shell: shell && defined({ allow: shell.allow, deny: shell.deny }),
    network: network && defined({ endpoints, allow_private: network.allowPrivate }),
    fs: fs && defined({ read: paths(fs.read), write: paths(fs.write) }),
  });
}

function portable(path: string, workspace: string | undefined): string {
  if (workspace === undefined) return path;
  if (path === workspace) return WORKSPACE;
  return path.startsWith(`${workspace}/`) ? WORKSPACE + path.slice(workspace.length) : path;
}

function defined(members: Readonly<Record<string, Json | undefined>>): JsonObject {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as JsonObject;
}
