import { bothNetwork } from './endpoint.ts';
import type { FsGrant, Grants } from './grants.ts';
import { covers } from './path-prefix.ts';
import { narrower } from './prefix-lists.ts';
import { bothShell } from './shell-grant.ts';

/**
 * All levels in force at once: the tool's policy, the session, the agent, the agent's word on this tool, in any order. It allows exactly
 * what every level allows; an absent level limits nothing. Paths must be resolved before (`grantsInForce` does both): two names of one folder
 * would be two folders.
 */
export function attenuate(...levels: readonly (Grants | undefined)[]): Grants {
  return levels.reduce<Grants>((sum, level) => (level === undefined ? sum : both(sum, level)), {});
}

function both(left: Grants, right: Grants): Grants {
  const shell = bothShell(left.shell, right.shell);
  const network = bothNetwork(left.network, right.network);
  const fs = bothFs(left.fs, right.fs);
  return {
    ...(shell === undefined ? {} : { shell }),
    ...(network === undefined ? {} : { network }),
    ...(fs === undefined ? {} : { fs }),
  };
}

function bothFs(left: FsGrant | undefined, right: FsGrant | undefined): FsGrant | undefined {
  if (left === undefined) return right;
  if (right === undefined) return left;
  const read = narrower(left.read, right.read, covers);
  const write = narrower(left.write, right.write, covers);
  return { ...(read === undefined ? {} : { read }), ...(write === undefined ? {} : { write }) };
}
