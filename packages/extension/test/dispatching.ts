import { manualClock } from '@fairlead/testing';
import { makeExtension } from '../src/authoring/extension.ts';
import type { CallContext, Firing } from '../src/carrier/carrier.ts';
import type { FiredKind } from '../src/contracts/hook-contracts.ts';
import { BudgetWheel } from '../src/dispatch/budget-wheel.ts';
import { HookDispatcher } from '../src/dispatch/hook-dispatcher.ts';
import type { HookReport, HookTarget } from '../src/dispatch/hook-target.ts';
import { Guest } from '../src/guest/guest.ts';
import type { Json } from '../src/json/json.ts';

export const CONTEXT: CallContext = Object.freeze({
  agent: { id: 'agt_1', name: 'fairlead' },
  session: 'ses_1',
  settings: {},
  caps: {},
});

/** A dispatcher over a clock that stands still, and what it reported. */
export function dispatching() {
  const clock = manualClock();
  const wheel = new BudgetWheel(clock, 0);
  const reports: HookReport[] = [];
  const hooks = new HookDispatcher({ wheel, report: (report) => void reports.push(report) });
  return { clock, wheel, reports, hooks };
}

/** A target in this thread, whose extension is the literal. */
export async function targetOf(owner: string, kind: FiredKind, literal: object): Promise<HookTarget> {
  const extension = makeExtension({ name: owner, version: '1', ...literal }, false);
  const host = { ask: (): Json => null, log: () => {}, changed: () => {} };
  const guest = new Guest(extension, { host });
  const { gates } = await guest.open({ instance: owner, kind: 'global', key: '', settings: {} });
  return {
    owner,
    endpoint: guest.hook(owner, kind),
    context: CONTEXT,
    ...(gates === undefined ? {} : { gates }),
  };
}

/** A target of a handler by itself, with every firing that it was begun with. */
export function bare(
  owner: string,
  begin: (firing: Firing) => unknown,
): HookTarget & { readonly firings: Firing[] } {
  const firings: Firing[] = [];
  return {
    owner,
    context: CONTEXT,
    firings,
    endpoint: {
      begin(firing) {
        firings.push({ ...firing });
        return begin(firing);
      },
    },
  };
}

export const parseAny = (value: Json) => ({ ok: true, value }) as const;

/** A promise that a test settles. */
export function held<T>() {
  let settle: (value: T) => void = () => {};
  let fail: (reason: unknown) => void = () => {};
  const promise = new Promise<T>((resolve, reject) => {
    settle = resolve;
    fail = reject;
  });
  return { promise, settle, fail };
}
