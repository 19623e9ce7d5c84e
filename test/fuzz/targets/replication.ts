import { sign } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { memoryCarriers, replicate, storeErrors } from '@fairlead/store';
import { seededRandom } from '@fairlead/testing';
import { encodeFrame, parseFrame } from '../../../packages/store/src/replication/frame.ts';
import { hold, type Target } from '../engine/target.ts';
import { fixedHistory, scratchPeer, shown } from './store-history.ts';

const history = fixedHistory();
const { root, known, next, writer } = history;
const author = writer.author.id;
const lines = (...frames: readonly object[]) =>
  `${frames.map((frame) => JSON.stringify(frame)).join('\n')}\n`;

/** Each line of an input is one message of a peer that has proven who it is and may write. */
export const target: Target = {
  name: 'replication',
  holds:
    'a message is read or ends the session with a code; what is read is written as the same; no message shows what was not applied',
  covers: ['packages/store/src/replication'],
  form: 'text',
  maxBytes: 16_384,
  stepMs: 3_000,
  words: [
    root,
    author,
    '{"type":"even"',
    '"version":{}',
    '"heads":{}',
    '{"type":"goodbye"}',
    '"why":"revoked"',
  ],
  seeds: () => [
    lines(
      { type: 'open', root },
      { type: 'have', root, version: { [author]: 1 }, heads: {} },
      { type: 'even', root },
    ),
    lines({ type: 'commits', root, commits: [next[0]] }, { type: 'ack', root, version: { [author]: 2 } }),
    lines(
      { type: 'have', root, version: {}, heads: { [author]: writer.prev } },
      { type: 'deny', root, why: 'revoked' },
    ),
    lines({ type: 'hello', v: 1, peer: author, nonce: author, wall_ms: 0 }),
    lines({ type: 'open', root: `mem_${root.slice(4)}` }, { type: 'goodbye' }),
  ],
  open: async () => {
    let scratch = await scratchPeer();
    await scratch.peer.apply(root, known as never);
    const before = await shown(scratch.peer, root);
    return {
      run: async (input) => {
        const messages = Buffer.from(input).toString('latin1').split('\n').slice(0, 32);
        for (const message of messages) judgeFrame(Buffer.from(message, 'latin1'));
        let after = '';
        try {
          const code = await speak(scratch, messages);
          hold(
            code === undefined || Object.hasOwn(storeErrors, code),
            'a session ends well or with a code',
            () => String(code),
          );
          after = await shown(scratch.peer, root);
          hold(
            after === before || isGrown(JSON.parse(before) as State, JSON.parse(after) as State),
            'only more commits change what is shown',
          );
        } finally {
          if (after !== before) {
            await scratch.close();
            scratch = await scratchPeer();
            await scratch.peer.apply(root, known as never);
          }
        }
      },
      close: () => scratch.close(),
    };
  },
};

type State = readonly [version: Readonly<Record<string, number>>, ...unknown[]];

function isGrown([before]: State, [after]: State): boolean {
  return (
    Object.entries(before).every(([name, seq]) => (after[name] ?? 0) >= seq) &&
    !isDeepStrictEqual(before, after)
  );
}

function judgeFrame(message: Uint8Array): void {
  const frame = parseFrame(message);
  if (frame === null) return;
  hold(
    JSON.stringify(parseFrame(Buffer.from(encodeFrame(frame)))) === JSON.stringify(frame),
    'a message that is read is written as the same',
  );
}

/** Greets as the writer, says every message, then goodbye; answers the code that ended the session. */
async function speak(
  { peer, clock }: Awaited<ReturnType<typeof scratchPeer>>,
  messages: readonly string[],
): Promise<string | undefined> {
  const [mine, other] = memoryCarriers();
  const session = replicate({ peer, carrier: mine, side: 'dialer', clock, random: seededRandom(2) });
  const heard = other.messages[Symbol.asyncIterator]();
  const hello = JSON.parse(Buffer.from((await heard.next()).value as Uint8Array).toString()) as Record<
    string,
    string
  >;
  const nonce = Buffer.alloc(32, 5).toString('base64url');
  const text = `fairlead session v1\nlistener\n${writer.peer.id}\n${nonce}\n${hello['peer']}\n${hello['nonce']}`;
  const sig = sign(null, Buffer.from(text), writer.peer.key).toString('base64url');
  const said = [
    JSON.stringify({ type: 'hello', v: 1, peer: writer.peer.id, nonce, wall_ms: clock.wallMs() }),
    JSON.stringify({ type: 'prove', sig }),
    ...messages,
    JSON.stringify({ type: 'goodbye' }),
  ];
  for (const message of said) void other.send(message);
  await session.remote.catch(() => undefined);
  const error = await session.ended;
  await session.close();
  return error?.code;
}
