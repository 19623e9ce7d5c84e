import { setTimeout as pause } from 'node:timers/promises';
import type { Fleet } from './fleet.ts';
import type { Action, RoundPlan, Target } from './plan.ts';
import type { RoundEvents } from './round-events.ts';
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

/** Takes the steps of a round's adversary in order, each when its moment has come; one whose moment never comes is left out. */
export async function attack(fleet: Fleet, field: AttackField): Promise<void> {
  const { plan, events, signal } = field;
  for (const { when, afterMs, patienceMs = 0, action } of plan.steps) {
    const key = when.on === 'begin' ? 'begin' : `${when.on} ${when.call}`;
    const hasCome =
      (await events.until(when, signal)) ||
      (patienceMs > 0 && (await events.until(when, AbortSignal.timeout(patienceMs))));
    if (!hasCome) {
      events.note(`${key}: never`);
      continue;
    }
    if (afterMs !== undefined) await pause(afterMs);
    events.note(`${key}: ${wordsOf(action)}`);
    await act(fleet, action, field);
  }
}

async function act(fleet: Fleet, action: Action, field: AttackField): Promise<void> {
  switch (action.kind) {
    case 'kill':
      return await fleet.signal(action.target, 'SIGKILL');
    case 'stop':
      return await fleet.signal(action.target, 'SIGSTOP');
    case 'continue':
      return await fleet.signal(action.target, 'SIGCONT');
    case 'restart':
      return await fleet.restart(action.target);
    case 'power':
      await fleet.signal(action.target, 'SIGKILL');
      await fleet.nothingOnItsWay();
      fleet.journal.shut();
      cutLog(fleet.journal.databasePath, await field.powerLost(), action);
      return;
    case 'release':
      fleet.proxy?.release();
      return;
    case 'open':
      return field.openGates();
    case 'rename':
      return fleet.rename(action.name);
    case 'fill':
      fleet.journal[Symbol.dispose]();
      fleet.disk?.fill(fleet.journal.databasePath, action.leaveBytes);
      return;
    case 'free':
      fleet.disk?.free();
      return;
    case 'limit':
      return memberOf(fleet, action.target)?.limitDescriptors(action.spare);
    case 'unlimit':
      return memberOf(fleet, action.target)?.unlimitDescriptors();
    case 'skew':
      return await memberOf(fleet, action.target)?.skew(action.offsetMs);
  }
}

function memberOf(fleet: Fleet, target: Target) {
  return target === 'plugin' ? null : fleet.member(target);
}

function wordsOf(action: Action): string {
  return 'target' in action ? `${action.kind} ${action.target}` : action.kind;
}
