import type {
  InvocationError,
  RecordedCall,
  RecordedEnd,
  RecordedSettlement,
  SessionRecorder,
} from '../src/index.ts';

/** What sessions are told, in order, and what they answer. */
export type FakeSessions = SessionRecorder & {
  readonly told: string[];
  readonly calls: RecordedCall[];
  readonly ends: RecordedEnd[];
  readonly settlements: RecordedSettlement[];
  /** By id; any other is unknown. */
  readonly known: Map<string, InvocationError | undefined>;
  /** What the guard says, by how often it was asked. */
  readonly guards: (InvocationError | undefined)[];
  /** What goes wrong at `begin`, `settle` or `whole`. */
  failing: 'begin' | 'settle' | 'whole' | undefined;
  canBegin: boolean;
};

/** Sessions without a host: `ses_here` is one. */
export function fakeSessions(): FakeSessions {
  const guards: FakeSessions['guards'] = [];
  const fake: FakeSessions = {
    told: [],
    calls: [],
    ends: [],
    settlements: [],
    known: new Map([['ses_here', undefined]]),
    guards,
    failing: undefined,
    canBegin: true,
    async open(id) {
      if (id === 'ses_broken') throw new Error('MARKER');
      const refusal = fake.known.get(id);
      if (refusal !== undefined) return { ok: false, error: refusal };
      if (!fake.known.has(id))
        return { ok: false, error: { code: 'unknown_session_id', message: 'No such session.' } };
      const note = (what: 'begin' | 'settle' | 'whole', call: RecordedCall, end?: RecordedEnd) => {
        fake.told.push(`${what} ${call.entry.action}`);
        if (fake.failing === what) throw new Error('MARKER');
        fake.calls.push(call);
        if (end !== undefined) fake.ends.push(end);
      };
      return {
        ok: true,
        session: {
          async guard({ extension, hasEffect }) {
            fake.told.push(`guard ${extension ?? '-'} ${hasEffect ? 'effect' : 'read'}`);
            return guards.shift();
          },
          async begin(call) {
            note('begin', call);
            return fake.canBegin;
          },
          async settle(call, end) {
            note('settle', call, end);
          },
          async whole(call, end) {
            note('whole', call, end);
          },
        },
      };
    },
    async settled(settlement) {
      fake.settlements.push(settlement);
      return true;
    },
  };
  return fake;
}
