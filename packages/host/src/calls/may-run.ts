import type { Fault, JsonObject } from '@fairlead/base';
import { dispatchErrors } from '@fairlead/dispatch/journal';
import type { FinalCall, LiveTool } from '@fairlead/hub';
import { hostErrors } from '../errors.ts';
import { decide, type RefusalCode } from '../policy/decide.ts';
import { autoApproves } from '../policy/read-policy.ts';
import type { ToolPolicy } from '../policy/tool-policy.ts';
import { modeInForce } from '../sessions/lineage.ts';
import { approvalShown } from './approval-shown.ts';
import { type Asked, askApproval } from './ask-approval.ts';
import type { CallFloor } from './call-floor.ts';
import type { CallPlace } from './call-place.ts';
import { type CallWords, isTooLarge } from './call-words.ts';
import { judgeTouches } from './judge-touches.ts';
import { refusal } from './refusal-now.ts';

/** A call whose arguments are final. */
export interface JudgedCall {
  readonly tool: LiveTool;
  readonly policy: ToolPolicy;
  readonly final: FinalCall;
  readonly words: CallWords;
  /** Aborts when nobody is to be asked for it any more: cancelled, or its session closes. */
  readonly signal: AbortSignal;
}

/** `approval` is used with the call's intent; undefined where nobody had to be asked. */
export type Permission =
  | { readonly ok: true; readonly approval: string | undefined }
  | { readonly ok: false; readonly fault: Fault };

/**
 * Whether a call may run: what it touches is granted, and who must be asked has said so. Grants come first: nobody is asked for what is then
 * refused.
 */
export async function mayRun(floor: CallFloor, place: CallPlace, call: JudgedCall): Promise<Permission> {
  const { tool, policy, final } = call;
  if (isTooLarge(final.args)) return no(refusal('arguments_too_large'));
  const denied = await notGranted(floor, place, call);
  // Where each call is decided by itself nobody decided about this one beforehand.
  const via = floor.authority === 'trusted_agent' ? place.preApproved?.(tool.name) : undefined;
  const verdict = decide({
    authority: floor.authority,
    mode: await modeInForce(floor.sessions, place.session),
    policy,
    autoApprove: autoApproves(floor.policy.autoApprove, tool.name),
    attended: via !== undefined || place.attended(),
    grantsOk: denied === undefined,
  });
  if (verdict === 'run') return { ok: true, approval: undefined };
  if (verdict === 'ask') {
    const asked = await ask(floor, place, call, via);
    // What was taken back while a person decided is not granted any more.
    const since = asked.ok ? await notGranted(floor, place, call) : undefined;
    return since === undefined ? asked : no(since);
  }
  return no(verdict.refuse === 'grant_denied' && denied !== undefined ? denied : refusalOf(verdict.refuse));
}

async function notGranted(
  floor: CallFloor,
  place: CallPlace,
  { tool, policy, final }: JudgedCall,
): Promise<Fault | undefined> {
  const touched = floor.touches[`${tool.owner}/${tool.name}`];
  if (touched === undefined) return undefined;
  const grants = await place.grants(tool.name, policy);
  return await judgeTouches(touched, final.args, { grants, workspace: place.workspace, links: floor.links });
}

async function ask(
  floor: CallFloor,
  place: CallPlace,
  call: JudgedCall,
  via: string | undefined,
): Promise<Asked> {
  const { words, final, policy } = call;
  const { principal, session, turn } = place;
  if (turn !== undefined)
    place.emit({
      kind: 'state',
      turn: turn.turn,
      agent: place.agent.id,
      state: 'approval',
      tool: words.tool,
    });
  const shown: JsonObject = await approvalShown(floor, place, call);
  return await askApproval(
    floor,
    { ...place, signal: call.signal },
    {
      ...words,
      ...{ principal, session, call: final.call, risk: policy.risk, shown },
      ...(turn === undefined ? {} : { turn: turn.turn }),
      // Who it was stands in the entry that began the run.
      ...(via === undefined ? {} : { given: { by: 'beforehand', via } }),
    },
  );
}

function refusalOf(code: RefusalCode): Fault {
  const tables: Readonly<Record<string, { readonly message: string } | undefined>> = {
    ...dispatchErrors,
    ...hostErrors,
  };
  return { code, message: tables[code]?.message ?? code };
}

function no(fault: Fault): Permission {
  return { ok: false, fault };
}
