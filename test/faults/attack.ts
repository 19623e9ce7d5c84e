import { setTimeout as pause } from 'node:timers/promises';
import type { Fleet } from './fleet.ts';
import type { Action, RoundPlan, Target } from './plan.ts';
import type { RoundEvents } from './round-events.ts';
import type { Strike } from './strike.ts';
import { cutLog, type LogEnd } from './write-ahead-log.ts';

/** What an attack works with besides the fleet. */
export type AttackField = {
  readonly plan: RoundPlan;
  readonly events: RoundEvents;
  /** Told when the power is lost and nothing is on its way any more: resolves with how far the log had to be durable. */
  readonly powerLost: () => Promise<LogEnd>;
  readonly openGates: () => void;
  readonly signal: AbortSignal;
};

/**
 * Takes the steps of a round's adversary in order, each when its moment has come; one whose moment never comes is left out. Answers of each
 * whether it was taken, and took hold.
 */
export async function attack(fleet: Fleet, field: AttackField): Promise<readonly Strike[]> {
  const { plan, events, signal } = field;
  const strikes: Strike[] = [];
  for (const { when, afterMs, patienceMs = 0, action } of plan.steps) {
    const key = when.on === 'begin' ? 'begin' : `${when.on} ${when.call}`;
    const hasCome =
      (await events.until(when, signal)) ||
      (patienceMs > 0 && (await events.until(when, AbortSignal.timeout(patienceMs))));
    if (!hasCome) {
      events.note(`${key}: never`);
      strikes.push({ what: action.kind, fell: false });
      continue;
    }
    if (afterMs !== undefined) await pause(afterMs);
    events.note(`${key}: ${wordsOf(action)}`);
    const fell = await act(fleet, action, field);
    if (!fell) events.note(`${action.kind}: in vain`);
    strikes.push({ what: action.kind, fell });
  }
  return strikes;
}

/** Answers whether it took hold: not of a process that had ended before, nor where the machine refused. */
async function act(fleet: Fleet, action: Action, field: AttackField): Promise<boolean> {
  switch (action.kind) {
    case 'kill':
      return await fleet.signal(action.target, 'SIGKILL');
    case 'stop':
      return await fleet.signal(action.target, 'SIGSTOP');
    case 'continue':
      return await fleet.signal(action.target, 'SIGCONT');
    case 'restart':
      return await fleet.restart(action.target);
    case 'power': {
      const wasKilled = await fleet.signal(action.target, 'SIGKILL');
      await fleet.nothingOnItsWay();
      fleet.journal.shut();
      const lost = cutLog(fleet.journal.databasePath, await field.powerLost(), action);
      return wasKilled && (lost.bytes > 0 || lost.isTorn);
    }
    case 'release':
      fleet.proxy?.release();
      return fleet.proxy !== null;
    case 'open':
      field.openGates();
      return true;
    case 'rename':
      fleet.rename(action.name);
      return true;
    case 'fill':
      fleet.journal[Symbol.dispose]();
      return fleet.disk?.fill(fleet.journal.databasePath, action.leaveBytes) ?? false;
    case 'free':
      fleet.disk?.free();
      return fleet.disk !== null;
    case 'limit':
      return memberOf(fleet, action.target)?.limitDescriptors(action.spare) ?? false;
    case 'unlimit':
      return memberOf(fleet, action.target)?.unlimitDescriptors() ?? false;
    case 'skew':
      return (await memberOf(fleet, action.target)?.skew(action.offsetMs)) ?? false;
  }
}

function memberOf(fleet: Fleet, target: Target) {
  return target === 'plugin' ? null : fleet.member(target);
}

function wordsOf(action: Action): string {
  return 'target' in action ? `${action.kind} ${action.target}` : action.kind;
}
