import { type SeededRandom, seededRandom } from '@fairlead/testing';
import { type Adversary, adversaryNames } from './adversary.ts';
import { planAttack } from './plan-attack.ts';

/** `apart`: gateway and Runner are two processes, a proxy on their link. `small`: the same on a small disk. `together`: `fairlead up`. */
export type Topology = 'apart' | 'small' | 'together';

/** The ways by which a call reaches Fairlead. */
export const pathNames = ['http', 'mcp-http', 'mcp-stdio', 'cli', 'turn', 'routine'] as const;
export type PathName = (typeof pathNames)[number];

/** One call of a round. */
export type CallPlan = {
  readonly path: PathName;
  /** `brief` has a budget of 1 s, `work` of 30 s, on the clock of the Runner. */
  readonly tool: 'work' | 'brief';
  /** Of a turn and a routine: with a binding that the agent asks for, or as a pinned tool. */
  readonly way?: 'binding' | 'pin';
  /** Of a routine: the session that the schedule names, or one of its own. */
  readonly target?: 'pinned' | 'fresh';
  /** Of `http`: it is recorded in a session. */
  readonly recorded?: true;
  /** What the ledger plugin is told beside the name of the call. */
  readonly hold?: true;
  readonly silent?: 'before' | 'after';
  readonly flood?: number;
  readonly fails?: true;
};

/**
 * Frames of the link: that which carries a call and that of its answer; the question what became of one and what the Runner told; that one
 * which was told as running has ended; and who a Runner is.
 */
export type FrameKind = 'request' | 'result' | OtherFrame;
/** These belong to no call of a plan: their number is 0. */
export type OtherFrame = 'outcome' | 'told' | 'ended' | 'register' | 'inventory';

/** What an attack waits for: something that happened to the call of that number. `journal`: so many intents of calls stand in the journal. */
export type Trigger = {
  readonly on: 'begin' | 'sent' | 'journal' | 'ledger' | 'answer' | FrameKind;
  readonly call: number;
};

export type Target = 'plugin' | 'runner' | 'gateway' | 'host';
export type CutEnd = 'both' | 'runner' | 'gateway';

/** What the proxy does to a frame of the call of that number, or to the first of its kind. */
export type LinkRule = {
  readonly frame: FrameKind;
  readonly call: number;
  readonly does:
    | { readonly kind: 'cut'; readonly at: 'before' | 'inside' | 'after'; readonly end: CutEnd }
    /** From this frame on the direction stands still until a `release`. */
    | { readonly kind: 'hold' }
    | { readonly kind: 'repeat'; readonly when: 'at once' | 'after the answer' }
    /** This one frame waits until so many later ones have passed, or a `release`. */
    | { readonly kind: 'overtake'; readonly by: number };
};

export type Action =
  | { readonly kind: 'kill'; readonly target: Target }
  | { readonly kind: 'stop'; readonly target: Target }
  | { readonly kind: 'continue'; readonly target: Target }
  /** SIGKILL, then the log is cut so far between what was durable and its end, 0 to 1; `torn`: half-written bytes follow. */
  | { readonly kind: 'power'; readonly target: Target; readonly share: number; readonly torn: boolean }
  | { readonly kind: 'restart'; readonly target: Exclude<Target, 'plugin'> }
  | { readonly kind: 'release' }
  /** What is told to hold goes on. */
  | { readonly kind: 'open' }
  /** The Runner gets another name, which its configuration brings to the gateway. */
  | { readonly kind: 'rename'; readonly name: string }
  | { readonly kind: 'fill'; readonly leaveBytes: number }
  | { readonly kind: 'free' }
  | { readonly kind: 'limit'; readonly target: Target; readonly spare: number }
  | { readonly kind: 'unlimit'; readonly target: Target }
  | { readonly kind: 'skew'; readonly target: Target; readonly offsetMs: number };

/**
 * `afterMs`: a pause between trigger and action, where there is no event to wait for. `patienceMs`: how long its moment may still come when
 * every call has been answered.
 */
export type Step = {
  readonly when: Trigger;
  readonly afterMs?: number;
  readonly patienceMs?: number;
  readonly action: Action;
};

/** No round has more calls. */
export const CALLS_MAX = 5;

/** Everything that a round does, from its seed alone. */
export type RoundPlan = {
  readonly seed: number;
  readonly adversary: Adversary;
  readonly topology: Topology;
  /** How many calls run at a time. */
  readonly lanes: number;
  readonly calls: readonly CallPlan[];
  readonly steps: readonly Step[];
  readonly rules: readonly LinkRule[];
};

/** What an adversary makes of a round. */
export type Attack = Pick<RoundPlan, 'topology'> & {
  readonly lanes?: number;
  readonly steps?: readonly Step[];
  readonly rules?: readonly LinkRule[];
  /** What it needs of single calls, by number. */
  readonly calls?: ReadonlyMap<number, Partial<CallPlan>>;
};

/** The plan of a round: a function of its seed, and of the adversary where one is asked for. */
export function planRound(seed: number, only?: Adversary): RoundPlan {
  const random = seededRandom(seed);
  const drawn = random.pick(adversaryNames);
  const adversary = only ?? drawn;
  const count = 2 + random.below(CALLS_MAX - 1);
  const lanes = random.pick([1, 1, 2, 3]);
  const calls = Array.from({ length: count }, () => planCall(random));
  const attack = planAttack(adversary, count, random);
  return {
    seed: random.seed,
    adversary,
    topology: attack.topology,
    lanes: attack.lanes ?? lanes,
    calls: calls.map((call, number) => fitting({ ...call, ...attack.calls?.get(number) })),
    steps: attack.steps ?? [],
    rules: attack.rules ?? [],
  };
}

const PATHS: readonly PathName[] = [
  ...Array<PathName>(5).fill('http'),
  ...Array<PathName>(4).fill('mcp-http'),
  ...Array<PathName>(4).fill('mcp-stdio'),
  'cli',
  ...Array<PathName>(3).fill('turn'),
  ...Array<PathName>(2).fill('routine'),
];

function planCall(random: SeededRandom): CallPlan {
  const path = random.pick(PATHS);
  const call: CallPlan = { path, tool: 'work', ...(random.below(8) === 0 ? { fails: true } : {}) };
  if (path === 'http' && random.below(4) === 0) return { ...call, recorded: true };
  if (path !== 'turn' && path !== 'routine') return call;
  const way = random.pick(['binding', 'pin'] as const);
  return path === 'turn'
    ? { ...call, way }
    : { ...call, way, target: random.pick(['pinned', 'fresh'] as const) };
}

/** A session of a schedule's own has the model of the host, and that one knows one tool and one way. */
function fitting(call: CallPlan): CallPlan {
  if (call.target !== 'fresh') return call;
  return call.tool === 'work' ? { ...call, way: 'binding' } : { ...call, target: 'pinned' };
}
