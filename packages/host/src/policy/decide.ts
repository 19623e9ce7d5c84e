import type { dispatchErrors } from '@fairlead/dispatch';
import type { HostErrorCode } from '../errors.ts';
import type { ToolPolicy } from './tool-policy.ts';

/** How far this host trusts whoever calls. Any other word denies. */
export type Authority = 'trusted_agent' | 'restricted';

/** What a session lets run: everything, nothing, what only reads. Any other word is taken for `inspect`. */
export type SessionMode = 'normal' | 'inspect' | 'read_only';

/** Why a call is refused before it starts. */
export type RefusalCode = HostErrorCode | keyof typeof dispatchErrors;

export type CallVerdict = 'run' | 'ask' | { readonly refuse: RefusalCode };

export interface DecideInput {
  /** As it stands in the configuration: what is no `Authority` denies. */
  readonly authority: string;
  /** As it stands in the session: what is no `SessionMode` runs nothing. */
  readonly mode: string;
  readonly policy: Pick<ToolPolicy, 'approval' | 'effect'>;
  /** The tool is in `auto_approve`. */
  readonly autoApprove: boolean;
  /** Somebody could answer. */
  readonly attended: boolean;
  /** What the call would touch is granted. */
  readonly grantsOk: boolean;
}

/**
 * What becomes of a tool call whose arguments are final: it runs, a person is asked, or it is refused. Mode stands before grants, grants
 * before approval: nobody is asked for what is then refused.
 */
export function decide({
  authority,
  mode,
  policy,
  autoApprove,
  attended,
  grantsOk,
}: DecideInput): CallVerdict {
  if (!modeAllows(mode, policy.effect)) return { refuse: 'session_guard_denied' };
  if (authority !== 'trusted_agent' && authority !== 'restricted') return { refuse: 'permission_denied' };
  if (!grantsOk) return { refuse: 'grant_denied' };
  if (!isAsked(authority, policy, autoApprove)) return 'run';
  return attended ? 'ask' : { refuse: 'approval_unattended' };
}

/** True where a session in this mode runs a tool with this effect; a mode without any such tool offers none. */
export function modeAllows(mode: string, effect: ToolPolicy['effect']): boolean {
  return mode === 'normal' || (mode === 'read_only' && effect === 'read');
}

function isAsked(
  authority: Authority,
  { approval, effect }: DecideInput['policy'],
  autoApprove: boolean,
): boolean {
  if (authority === 'restricted' && effect === 'write') return true;
  return approval === 'always' || (approval === 'unless_auto_approved' && !autoApprove);
}

/**
 * What becomes of `call`, `check` or `reload` that an external client asks of `plugin_tool`, on a session or on none (`mode` undefined):
 * asked in `restricted` only. An agent's `call` is a tool call (`decide`), and the other two are never an agent's.
 */
export function decideForClient(authority: string, mode: string | undefined): CallVerdict {
  if (mode !== undefined && mode !== 'normal') return { refuse: 'session_guard_denied' };
  if (authority === 'trusted_agent') return 'run';
  return authority === 'restricted' ? 'ask' : { refuse: 'permission_denied' };
}
