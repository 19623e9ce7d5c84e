import type { CallGrants } from '../../builtin-peer.ts';

/** A command in a sandbox made by bubblewrap. */
export interface BubblewrapPlan {
  readonly kind: 'bubblewrap';
  readonly program: string;
  /** What it sees beside the system's programs; absent is everything. */
  readonly reads?: readonly string[];
  /** What of that it may write; absent is all that it sees of `reads`. */
  readonly writes?: readonly string[];
  readonly hasNetwork: boolean;
  /** What it does not see whatever `reads` says. */
  readonly withheld?: NonNullable<CallGrants['withheld']>;
  /** What holds more tightly than the grants, in words. */
  readonly note?: string;
}

/** How the grants of a call are held against a command. */
export type SandboxPlan =
  /** There is no limit to hold. */
  | { readonly kind: 'unlimited' }
  /** Nothing can hold it, and nobody declared more than what every session starts with. */
  | { readonly kind: 'unconfined'; readonly note: string }
  | BubblewrapPlan
  | { readonly kind: 'refused' };

const UNCONFINED =
  '[no sandbox: bubblewrap is missing here, so commands may read, write and reach whatever the user of Fairlead may]';
const NO_NETWORK =
  '[sandbox: commands have no network, because nothing could hold them to what the grants allow of it]';

/**
 * What holds a command to its grants. A limit is held exactly, or more tightly, which is said; where neither is to be had the command is refused. The
 * one exception is the ceiling that every session starts with (its workspace, the public network): without bubblewrap a command runs unconfined under it, which
 * is said too.
 */
export function planSandbox(grants: CallGrants, bubblewrap: string | undefined): SandboxPlan {
  const reads = limiting(grants.fs?.read);
  const writes = limiting(grants.fs?.write);
  const { network } = grants;
  const hasNetwork = network === undefined || (network.endpoints === undefined && network.allowPrivate);
  if (reads === undefined && writes === undefined && hasNetwork) return { kind: 'unlimited' };
  if (bubblewrap === undefined)
    return isCeiling(grants) ? { kind: 'unconfined', note: UNCONFINED } : { kind: 'refused' };
  const wantsNetwork = network?.endpoints?.length !== 0;
  return {
    kind: 'bubblewrap',
    program: bubblewrap,
    ...(reads === undefined ? {} : { reads }),
    ...(writes === undefined ? {} : { writes }),
    hasNetwork,
    ...(grants.withheld === undefined ? {} : { withheld: grants.withheld }),
    ...(hasNetwork || !wantsNetwork ? {} : { note: NO_NETWORK }),
  };
}

/** A list that holds the root limits nothing. */
function limiting(list: readonly string[] | undefined): readonly string[] | undefined {
  return list?.includes('/') === true ? undefined : list;
}

/** Whether the grants say no more than what holds for a session of which nobody said anything. */
function isCeiling({ workspace, fs, network }: CallGrants): boolean {
  const isWorkspace = (list: readonly string[] | undefined) =>
    list === undefined || (list.length === 1 && list[0] === workspace);
  return isWorkspace(fs?.read) && isWorkspace(fs?.write) && network?.endpoints === undefined;
}

/** Whether a path lies in what the host keeps to itself. */
export function isWithheld({ withheld }: BubblewrapPlan, path: string): boolean {
  if (withheld === undefined || !covers(withheld.folder, path)) return false;
  return withheld.but === undefined || !covers(withheld.but, path);
}

/** True where `path` is `folder` or stands below it. Both are absolute and folded. */
export function covers(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}
