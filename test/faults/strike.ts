import type { Certainty } from '@fairlead/base';
import type { FrameRule } from './frame-proxy.ts';
import type { RoundPlan } from './plan.ts';

/** One blow of an adversary: the name of its kind, and whether it fell as it was planned. */
export type Strike = { readonly what: string; readonly fell: boolean };

/** What fell of the rules for the link. `left`: those that no frame came for. */
export function strikesOnLink({ rules }: RoundPlan, left: readonly FrameRule[]): readonly Strike[] {
  return rules.map(({ frame }) => ({
    what: `frame ${frame}`,
    fell: !left.some((rule) => rule.frame === frame),
  }));
}

/**
 * What fell of the attacks that the plugin carries out itself: one that gave no answer leaves its caller without one, and one that floods
 * does so before it executes.
 */
export function strikesOnCalls(
  { calls }: RoundPlan,
  came: readonly { readonly certainty: Certainty; readonly executions: number }[],
): readonly Strike[] {
  return calls.flatMap(({ silent, flood }, call) => {
    const { certainty, executions = 0 } = came[call] ?? {};
    return [
      ...(silent === undefined ? [] : [{ what: 'silence', fell: certainty === 'outcome_unknown' }]),
      ...(flood === undefined ? [] : [{ what: 'flood', fell: executions > 0 }]),
    ];
  });
}

/** A round was struck where each blow fell; one without any was not attacked. */
export function isStruck(strikes: readonly Strike[]): boolean {
  return strikes.length > 0 && strikes.every(({ fell }) => fell);
}
