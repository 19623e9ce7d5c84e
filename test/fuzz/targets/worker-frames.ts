import { type Ask, checkAsk } from '../../../packages/extension/src/carrier/ask.ts';
import { readGuestFrame } from '../../../packages/extension/src/carrier/read-guest-frame.ts';
import { ExtensionError } from '../../../packages/extension/src/errors.ts';
import type { Manifest } from '../../../packages/extension/src/manifest/manifest.ts';
import { hold, type Target } from '../engine/target.ts';

const ask = (op: object) => ({ frame: 'ask', id: 1, op });

export const target: Target = {
  name: 'worker-frames',
  holds: 'a frame of a worker is read, frozen and of its form, or is none; no text ends the host',
  covers: [
    'packages/extension/src/carrier/read-guest-frame.ts',
    'packages/extension/src/carrier/frames.ts',
    'packages/extension/src/json/deep-freeze.ts',
  ],
  form: 'json',
  maxBytes: 32_768,
  seeds: () =>
    [
      { frame: 'ready', manifest: {} },
      { frame: 'failed', code: 'c', message: 'm' },
      { frame: 'result', id: 1, value: null },
      { frame: 'fault', id: 1, code: 'c', message: 'm', certainty: 'not_started' },
      { frame: 'pong' },
      { frame: 'changed', instance: 'i' },
      { frame: 'log', level: 'info', message: 'm' },
      ask({ op: 'session.read', session: 's', last: 5, before: 'b' }),
      ask({ op: 'session.append', session: 's', text: 't', type: 'message', from: { id: 'a', name: 'n' } }),
      ask({ op: 'session.open', id: 's' }),
      ask({ op: 'settings.save', session: 's', patch: {} }),
      ask({ op: 'cap.call', call: 1, alias: 'a', method: 'm', input: {} }),
      ask({ op: 'progress', call: 'c', text: 't' }),
      ask({ op: 'agent_state.resolve', agent: 'a' }),
      ask({ op: 'agent_state.write', agent: 'a', place: {}, value: 1 }),
    ].map((frame) => JSON.stringify(frame)),
  open: async () => ({ run }),
};

const KINDS: ReadonlySet<unknown> = new Set([
  'ready',
  'failed',
  'result',
  'fault',
  'ask',
  'pong',
  'changed',
  'log',
]);

function run(input: Uint8Array): void {
  const frame = readGuestFrame(Buffer.from(input).toString());
  if (frame === undefined) return;
  hold(KINDS.has(frame.frame), 'a frame is of a known kind');
  hold(Object.isFrozen(frame), 'a frame is frozen');
  if (frame.frame === 'result' || frame.frame === 'fault' || frame.frame === 'ask')
    hold(typeof frame.id === 'number', 'an id is a number');
  if (frame.frame === 'fault')
    hold(
      frame.certainty === undefined ||
        ['not_started', 'completed', 'outcome_unknown'].includes(frame.certainty),
      'a certainty is one of three',
    );
  if (frame.frame === 'ask')
    hold(isJudged(frame.op.op), 'an ask that the manifest does not allow has its code');
}

/** A manifest that asks for nothing allows what needs nothing, and refuses the rest with the code. */
function isJudged(op: Ask['op']): boolean {
  try {
    checkAsk({ requires: [], requests: [] } as unknown as Manifest, op);
    return op === 'cap.call' || op === 'progress';
  } catch (error) {
    return error instanceof ExtensionError && error.code === 'capability_not_declared';
  }
}
