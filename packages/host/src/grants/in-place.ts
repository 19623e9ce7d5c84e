import { isAbsolute, join, resolve } from 'node:path';
import { attenuate } from './attenuate.ts';
import { DENY_ALL, type FsGrant, type Grants, type Withheld } from './grants.ts';
import { covers } from './path-prefix.ts';
import { type LinkReader, realPath } from './real-path.ts';

/** The word that stands for a session's workspace, alone or before a slash. */
export const WORKSPACE = '$workspace';

/** Where a session works. `workspace` is absolute; undefined where the session has none, and what is granted below it is not. */
export interface Place {
  readonly workspace: string | undefined;
  readonly links: LinkReader;
  /** The state directory, whose keys and tokens no tool may touch: only a workspace of its own `workspaces/` is open. */
  readonly stateDirectory?: string | undefined;
}

/**
 * One level of grants as it is on this machine now: `$workspace` substituted, every path resolved through its links. A path that cannot be
 * resolved is left out, which only narrows.
 */
async function grantsInPlace(grants: Grants, place: Place): Promise<Grants> {
  if (grants.fs === undefined) return grants;
  const { read, write } = grants.fs;
  return {
    ...grants,
    fs: {
      ...(read === undefined ? {} : { read: await pathsInPlace(read, place) }),
      ...(write === undefined ? {} : { write: await pathsInPlace(write, place) }),
    },
  };
}

async function pathsInPlace(
  paths: readonly string[],
  { workspace, links }: Place,
): Promise<readonly string[]> {
  const found = new Set<string>();
  for (const path of paths) {
    const written = substituted(path, workspace);
    const real = written === undefined ? undefined : await realPath(written, links);
    if (real !== undefined) found.add(real);
  }
  return [...found];
}

function substituted(path: string, workspace: string | undefined): string | undefined {
  if (path !== WORKSPACE && !path.startsWith(`${WORKSPACE}/`)) return path;
  if (workspace === undefined) return undefined;
  // `$workspace/..` is refused where grants are read; if it came another way it still must not leave.
  const inside = resolve(join(workspace, path.slice(WORKSPACE.length)));
  return covers(resolve(workspace), inside) ? inside : undefined;
}

/** A file or folder that may be read or written, by the name under which it must be opened. */
export type PathVerdict =
  | { readonly isGranted: true; readonly path: string }
  | { readonly isGranted: false; readonly path: string | undefined };

/**
 * Whether grants, as `grantsInForce` gave them, allow a path. A relative one is meant from `folder`. Links are followed,
 * so that one that leads out of what is granted is refused, and the answer is the path to open. Whoever opens it should refuse to follow a
 * link at its end (`O_NOFOLLOW`): between the answer and the opening somebody may put one there.
 */
export async function judgePath(
  grants: Grants,
  use: keyof FsGrant,
  path: string,
  folder: string,
  links: LinkReader,
): Promise<PathVerdict> {
  const real = await realPath(isAbsolute(path) ? path : join(folder, path), links);
  if (real === undefined) return { isGranted: false, path: undefined };
  if (isWithheld(grants.withheld, real)) return { isGranted: false, path: real };
  const list = grants.fs?.[use];
  const isGranted = list === undefined || list.some((granted) => covers(granted, real));
  return { isGranted, path: real };
}

/** What a new session may touch where nobody says anything: its workspace and the public network. */
const CEILING = { fs: { read: [WORKSPACE], write: [WORKSPACE] }, network: { allowPrivate: false } };

/**
 * The session's levels of grants: what `[policy.grants]` says (`configured`), key by key over the workspace and the public network; and
 * what the session's own record says. The record may come from another peer, so it narrows and never widens; one that cannot be read
 * (`'unreadable'`) allows nothing.
 */
export function sessionGrants(
  configured: Grants,
  record: Grants | 'unreadable' | undefined,
): readonly (Grants | undefined)[] {
  const ceiling: Grants = {
    ...configured,
    fs: { ...CEILING.fs, ...configured.fs },
    network: { ...CEILING.network, ...configured.network },
  };
  return [ceiling, record === 'unreadable' ? DENY_ALL : record];
}

/** Levels of grants in force together in one place: each resolved there, then attenuated. */
export async function grantsInForce(levels: readonly (Grants | undefined)[], place: Place): Promise<Grants> {
  const inPlace: Grants[] = [];
  for (const level of levels) if (level !== undefined) inPlace.push(await grantsInPlace(level, place));
  const inForce = attenuate(...inPlace);
  const withheld = await withheldIn(place);
  return withheld === undefined ? inForce : { ...inForce, withheld };
}

async function withheldIn({ stateDirectory, workspace, links }: Place): Promise<Withheld | undefined> {
  if (stateDirectory === undefined) return undefined;
  // What cannot be resolved stands where it is written, or nowhere.
  const folder = (await realPath(stateDirectory, links)) ?? resolve(stateDirectory);
  const own = workspace === undefined ? undefined : await realPath(workspace, links);
  const isInside =
    own !== undefined && own !== join(folder, 'workspaces') && covers(join(folder, 'workspaces'), own);
  return isInside ? { folder, but: own } : { folder };
}

function isWithheld(withheld: Withheld | undefined, path: string): boolean {
  if (withheld === undefined || !covers(withheld.folder, path)) return false;
  return withheld.but === undefined || !covers(withheld.but, path);
}
