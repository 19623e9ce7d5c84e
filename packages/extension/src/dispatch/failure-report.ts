import type { FiredKind } from '../contracts/hook-contracts.ts';
import { thrownText } from '../contracts/text.ts';
import { ExtensionError } from '../errors.ts';
import { outputLimits } from '../limits.ts';
import type { HookReport } from './hook-target.ts';
import type { Failure } from './series.ts';

/** Codes that say that nothing could be asked, rather than that what was asked failed. */
const GONE: ReadonlySet<string> = new Set(['extension_ended', 'extension_crashed', 'extension_unresponsive']);

/** A handler's failure as it is told to the operator, and in a gate's reason. */
export function failureReport(failure: Failure, owner: string, kind: FiredKind): HookReport {
  switch (failure.kind) {
    case 'late':
      return { owner, kind, code: 'hook_timeout', reason: 'it did not answer in time' };
    case 'cancelled':
      return { owner, kind, code: 'hook_timeout', reason: 'the turn was cancelled' };
    case 'gone':
      return { owner, kind, code: 'gate_unavailable', reason: goneReason(failure.reason, owner) };
    default:
      return thrownReport(failure.thrown, owner, kind);
  }
}

function thrownReport(thrown: unknown, owner: string, kind: FiredKind): HookReport {
  if (thrown instanceof ExtensionError) {
    if (GONE.has(thrown.code))
      return { owner, kind, code: 'gate_unavailable', reason: goneReason(thrown.code, owner) };
    const code = thrown.code === 'verdict_invalid' ? 'verdict_invalid' : 'hook_failed';
    return { owner, kind, code, reason: thrown.message };
  }
  return {
    owner,
    kind,
    code: 'hook_failed',
    reason: `it threw: ${thrownText(thrown, outputLimits.maxFaultMessage)}`,
  };
}

function goneReason(reason: string, owner: string): string {
  return `it cannot run now (${reason}); /extensions remove ${owner} takes it out of this session`;
}
