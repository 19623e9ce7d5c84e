import type { SeededRandom } from '@fairlead/testing';
import type { Adversary } from './adversary.ts';
import type { Attack, CallPlan, LinkRule, OtherFrame, Step, Target, Trigger } from './plan.ts';

const DAY_MS = 86_400_000;
/** Beyond a question of 10 s, a ping each 30 s and the 60 s of silence after which a link is dropped, at ten times the machine's pace. */
const LONG_MS = [1200, 4000, 7000] as const;
/** A Runner dials again after 1 s of its own, and what is asked then takes milliseconds, on a machine that has time. */
const PATIENCE_MS = 1500;
const OTHERS: readonly OtherFrame[] = ['register', 'outcome', 'told', 'ended', 'inventory'];
const HELD: Partial<CallPlan> = { hold: true };
const BRIEF: Partial<CallPlan> = { tool: 'brief' };

/** What an adversary does in a round of so many calls. */
export function planAttack(adversary: Adversary, calls: number, random: SeededRandom): Attack {
  const call = random.below(calls);
  switch (adversary) {
    case 'none':
      return { topology: random.pick(['apart', 'together'] as const) };
    case 'kill-plugin': {
      const topology = random.pick(['apart', 'together'] as const);
      return struck(
        topology,
        'plugin',
        trigger(random, ['sent', 'ledger', 'ledger', 'answer'], call),
        random,
      );
    }
    case 'kill-runner':
      return struck('apart', 'runner', trigger(random, ANYTIME, call), random);
    case 'kill-gateway':
      return struck('apart', 'gateway', trigger(random, ANYTIME, call), random);
    case 'kill-host':
      return struck(
        'together',
        'host',
        trigger(random, ['sent', 'journal', 'ledger', 'answer'], call),
        random,
      );
    case 'stop-process':
      return stopped(random, call);
    case 'silent-plugin': {
      const silent = random.pick(['before', 'after'] as const);
      const topology = random.pick(['apart', 'together'] as const);
      return { topology, calls: new Map([[call, { ...BRIEF, silent }]]) };
    }
    case 'cut-link': {
      const where = random.pick(['both', 'both', 'runner', 'gateway'] as const);
      const place = random.pick(['before', 'inside', 'after'] as const);
      if (fallsOnOther(random))
        return onOther(random, call, { does: { kind: 'cut', at: place, end: where } });
      const frame = random.pick(['request', 'result'] as const);
      const attack = linked({ frame, call, does: { kind: 'cut', at: place, end: where } });
      if (frame === 'result' || place !== 'after' || random.below(2) === 0) return attack;
      // With the call held, the cut falls between its execution and its answer.
      return { ...attack, ...holding(call), steps: [heldOn({ on: 'ledger', call })] };
    }
    case 'delay-link':
      return delayed(random, call);
    case 'repeat-link': {
      if (fallsOnOther(random)) return onOther(random, call, { does: { kind: 'repeat', when: 'at once' } });
      const frame = random.pick(['request', 'request', 'result'] as const);
      const when = random.pick(['at once', 'after the answer'] as const);
      return linked({ frame, call, does: { kind: 'repeat', when } });
    }
    case 'reorder-link':
      return reordered(random, call);
    case 'fill-disk': {
      const when = trigger(random, ['begin', 'sent', 'journal', 'ledger'], call);
      const fill = { kind: 'fill', leaveBytes: random.pick([0, 0, 4096, 16_384]) } as const;
      // Then it has room again, or its gateway dies with what the disk did not take, or it stays full.
      const then = random.pick([
        [{ kind: 'free' }],
        [{ kind: 'kill', target: 'gateway' }],
        [{ kind: 'kill', target: 'gateway' }],
        [],
      ] as const);
      const answered = { on: 'answer', call: then[0]?.kind === 'kill' ? call : random.below(calls) } as const;
      return {
        topology: 'small',
        ...alone(when),
        ...(when.on === 'ledger' ? holding(call) : {}),
        steps: [{ when, action: fill }, ...then.map((action) => ({ when: answered, action }))],
      };
    }
    case 'exhaust-descriptors': {
      const topology = random.pick(['apart', 'together'] as const);
      const target =
        topology === 'together' ? 'host' : random.pick(['runner', 'gateway', 'gateway'] as const);
      const when = trigger(random, ['begin', 'sent', 'ledger'], call);
      const limit = { kind: 'limit', target, spare: random.pick([0, 0, 0, 1, 2]) } as const;
      const last = { on: 'answer', call: random.pick([call, calls - 1]) } as const;
      const unlimit = { when: last, action: { kind: 'unlimit', target } } as const;
      return { topology, steps: [{ when, action: limit }, unlimit] };
    }
    case 'skew-clock':
      return skewed(random, call);
    case 'flood-stderr': {
      const flood = random.pick([65_536, 1_048_576, 8_388_608]);
      const topology = random.pick(['apart', 'together'] as const);
      return { topology, calls: new Map([[call, { flood }]]) };
    }
    case 'lose-power': {
      const topology = random.pick(['apart', 'together'] as const);
      const target = topology === 'together' ? 'host' : 'gateway';
      const seen = topology === 'apart' ? (['request', 'request'] as const) : (['journal'] as const);
      const when = trigger(random, ['journal', 'ledger', 'answer', ...seen], call);
      const action = {
        kind: 'power',
        target,
        share: random.below(1001) / 1000,
        torn: random.below(2) === 0,
      } as const;
      const held = when.on === 'ledger' && random.below(2) === 0;
      return {
        topology,
        lanes: when.on === 'journal' ? 1 : 3,
        steps: [{ when, action }],
        ...(held ? holding(call) : {}),
      };
    }
  }
}

const ANYTIME = ['sent', 'journal', 'request', 'ledger', 'ledger', 'result', 'answer'] as const;

function trigger(random: SeededRandom, on: readonly Trigger['on'][], call: number): Trigger {
  return { on: random.pick(on), call };
}

/** Intents in the journal have no names: they are counted, so calls come one by one. */
function alone({ on }: Trigger): { lanes?: number } {
  return on === 'journal' ? { lanes: 1 } : {};
}

function holding(call: number): Pick<Attack, 'calls'> {
  return { calls: new Map([[call, HELD]]) };
}

/** A process is killed once. Every other call that was executed is held, so that it cannot have been answered. */
function struck(topology: Attack['topology'], target: Target, when: Trigger, random: SeededRandom): Attack {
  const held = when.on === 'ledger' && random.below(4) > 0;
  return {
    topology,
    ...alone(when),
    steps: [{ when, action: { kind: 'kill', target } }],
    ...(held ? holding(when.call) : {}),
  };
}

function stopped(random: SeededRandom, call: number): Attack {
  const topology = random.pick(['apart', 'together'] as const);
  const target = random.pick(
    topology === 'together' ? (['host', 'plugin'] as const) : (['plugin', 'runner', 'gateway'] as const),
  );
  const when = trigger(random, ['sent', 'ledger', 'ledger'], call);
  const isBrief = random.below(2) === 0;
  const pauseMs = random.pick([20, 60, 150, 300, ...LONG_MS]);
  const kill = { when, action: { kind: 'kill', target } } as const;
  return {
    topology,
    steps: [
      { when, action: { kind: 'stop', target } },
      { when, afterMs: pauseMs, action: { kind: 'continue', target } },
      ...(random.below(4) === 0 ? [kill] : []),
    ],
    calls: new Map([[call, { ...(isBrief ? BRIEF : {}), ...(when.on === 'ledger' ? HELD : {}) }]]),
  };
}

/** A share of the attacks on the link falls on frames that carry no call. */
function fallsOnOther(random: SeededRandom): boolean {
  return random.below(5) < 2;
}

/**
 * Attacks a frame that carries no call, and brings it about first: a renamed Runner says so; behind a link that is cut under a call its
 * Runner registers, is asked, tells, and says later that the call has ended, where it is held for so long.
 */
function onOther(
  random: SeededRandom,
  call: number,
  { does, releaseAfterMs = 0 }: { readonly does: LinkRule['does']; readonly releaseAfterMs?: number },
): Attack {
  const frame = random.pick(OTHERS);
  const rule: LinkRule = { frame, call: 0, does };
  const seen: Step = {
    when: { on: frame, call: 0 },
    patienceMs: PATIENCE_MS,
    afterMs: releaseAfterMs,
    action: { kind: 'release' },
  };
  if (frame === 'inventory') {
    const when = trigger(random, ['begin', 'sent', 'ledger'], call);
    const rename: Step = { when, action: { kind: 'rename', name: `Desk ${random.below(1_000_000)}` } };
    return { topology: 'apart', rules: [rule], steps: [rename, seen] };
  }
  const isHeld = frame === 'ended' || random.below(2) === 0;
  const at = isHeld ? 'after' : random.pick(['before', 'inside', 'after'] as const);
  const cut: LinkRule = { frame: 'request', call, does: { kind: 'cut', at, end: 'both' } };
  const untilTold: Step[] = frame === 'ended' ? [heldOn({ on: 'told', call: 0 })] : [];
  return {
    topology: 'apart',
    rules: [cut, rule],
    steps: [...untilTold, seen],
    ...(isHeld ? holding(call) : {}),
  };
}

/** What is held goes on then, and not before. */
function heldOn(when: Trigger): Step {
  return { when, patienceMs: PATIENCE_MS, action: { kind: 'open' } };
}

function linked(rule: LinkRule, call: Partial<CallPlan> = {}): Attack {
  return { topology: 'apart', rules: [rule], calls: new Map([[rule.call, call]]) };
}

/** Let go after a pause, or only when the gateway has given up waiting, which a brief call brings about. */
function delayed(random: SeededRandom, call: number): Attack {
  if (fallsOnOther(random)) {
    const releaseAfterMs = random.pick([5, 30, 120, 1700, ...LONG_MS]);
    return onOther(random, call, { does: { kind: 'hold' }, releaseAfterMs });
  }
  const frame = random.pick(['request', 'result'] as const);
  const untilTold = random.below(2) === 0;
  const attack = linked({ frame, call, does: { kind: 'hold' } }, untilTold ? BRIEF : {});
  const release = { kind: 'release' } as const;
  const pauseMs = random.pick([5, 30, 120, 5, 30, 120, ...LONG_MS]);
  return {
    ...attack,
    steps: [
      untilTold
        ? { when: { on: 'answer', call }, action: release }
        : { when: { on: frame, call }, afterMs: pauseMs, action: release },
    ],
  };
}

/** Overtaken by the next frames, among them the question what became of it once the gateway has given up. */
function reordered(random: SeededRandom, call: number): Attack {
  if (fallsOnOther(random)) {
    const overtaken = { kind: 'overtake', by: random.pick([1, 2, 1000]) } as const;
    return onOther(random, call, { does: overtaken, releaseAfterMs: 40 });
  }
  const frame = random.pick(['request', 'request', 'request', 'result'] as const);
  const by = random.pick([1, 2, 1000, 1000]);
  const untilTold = by === 1000;
  const attack = linked(
    { frame, call, does: { kind: 'overtake', by } },
    untilTold || random.below(2) === 0 ? BRIEF : {},
  );
  const release = { when: { on: 'answer', call }, afterMs: 40, action: { kind: 'release' } } as const;
  return untilTold ? { ...attack, steps: [release] } : { ...attack, lanes: 3 };
}

function skewed(random: SeededRandom, call: number): Attack {
  const topology = random.pick(['apart', 'together'] as const);
  const target = topology === 'together' ? 'host' : random.pick(['gateway', 'gateway', 'runner'] as const);
  const offsetMs = random.pick([-1, 1]) * random.pick([1000, 60_000, 3_600_000, DAY_MS, 20 * DAY_MS]);
  const when = trigger(random, ['begin', 'sent', 'ledger'], call);
  const again = trigger(random, ['ledger', 'answer'], call);
  const back = { when: again, action: { kind: 'skew', target, offsetMs: -offsetMs } } as const;
  const kill = { when: again, action: { kind: 'restart', target } } as const;
  const held = when.on === 'ledger' || again.on === 'ledger';
  return {
    topology,
    steps: [{ when, action: { kind: 'skew', target, offsetMs } }, random.below(3) === 0 ? kill : back],
    ...(held ? holding(call) : {}),
  };
}
