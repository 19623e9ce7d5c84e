import type { FiredKind } from '../contracts/hook-contracts.ts';
import { thrownText } from '../contracts/text.ts';
import { ExtensionError } from '../errors.ts';
import { outputLimits } from '../limits.ts';
import type { HookReport } from './hook-target.ts';
import type { Failure } from './series.ts';

/** Codes that say that nothing could be asked, rather than that what was asked failed. */
const GONE: ReadonlySet<string> = new Set(['extension_ended', 'extension_crashed', 'extension_unresponsive']);

/** A handler's failure as it is told to the operator, and in a gate's reason. */
export function failureReport(
  failure: Exclude<Failure, { readonly kind: 'cancelled' }>,
  owner: string,
  kind: FiredKind,
): HookReport {
  switch (failure.kind) {
    case 'late':
      return { owner, kind, code: 'hook_timeout', reason: 'it did not answer in time' };
    case 'gone':
      return { owner, kind, code: 'gate_unavailable', reason: goneReason(failure.reason, owner) };
    default:
      return thrownReport(failure.thrown, owner, kind);
  }
}

function thrownReport(thrown: unknown, owner: string, kind: FiredKind): HookReport {
  if (!(thrown instanceof ExtensionError)) {
    const reason = `it threw: ${thrownText(thrown, outputLimits.maxFaultMessage)}`;
    return { owner, kind, code: 'hook_failed', reason };
  }
  // A handler in the host's thread may throw one of its own, such as a ToolFault, whose message is anything.
  const reason = thrownText(thrown, outputLimits.maxReason);
  if (!GONE.has(thrown.code)) {
    const code = thrown.code === 'verdict_invalid' ? 'verdict_invalid' : 'hook_failed';
    return { owner, kind, code, reason };
  }
  if (kind !== 'tool_call') return { owner, kind, code: 'hook_failed', reason };
  return { owner, kind, code: 'gate_unavailable', reason: goneReason(thrown.code, owner) };
}

function goneReason(reason: string, owner: string): string {
  return `it cannot run now (${reason}); /extensions remove ${owner} takes it out of this session`;
}
