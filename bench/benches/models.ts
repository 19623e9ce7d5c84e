import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Random, systemClock } from '@fairlead/base';
import { type AttemptLedger, type HostModel, Models, readBackends, runStep } from '@fairlead/host';
import type { Bench } from '../harness/bench.ts';
import { interleave } from '../harness/interleave.ts';
import { differenceRow } from '../harness/row.ts';

const PIECES = 200;

/** What the host may add to a piece of text on its way. */
const GOAL_MS = 1;

export const models: Bench = {
  name: 'models',
  title: `a reply of ${PIECES} pieces from a local server, each sent when the one before was seen`,
  async run(context) {
    await using stack = new AsyncDisposableStack();
    const server = await pieceServer(stack);
    const host = hostModel(server.url);
    const clock = systemClock();
    const random: Random = (count) => new Uint8Array(count);
    const measured = await interleave(
      [
        { unit: 'ms', round: async () => ({ 'raw client': await server.samples(readRaw) }) },
        {
          unit: 'ms',
          round: async () => ({
            'through the host': await server.samples(async (_url, seen) => {
              const outcome = await runStep({
                model: host.model,
                request: { messages: [{ role: 'user', text: 'go' }], tools: [], maxTokens: host.maxTokens },
                meta: { session: 'ses_1', agent: 'fairlead', turn: 0, step: 0 },
                maxRetries: 0,
                estimatedInput: 1,
                signal: context.signal,
                clock,
                random,
                ledger: openLedger,
                emit(event) {
                  if (event.type === 'text') seen();
                },
              });
              if (!outcome.ok) throw new Error('the reply was broken');
            }),
          }),
        },
      ],
      context.plan(30, 3, 5),
    );
    return {
      measurements: Object.values(measured),
      rows: [
        differenceRow(
          'a piece of a reply, against a raw client',
          measured['through the host'],
          measured['raw client'],
          GOAL_MS,
        ),
      ],
    };
  },
};

/** Reads a whole reply and says when a piece of it was seen. */
type Reader = (url: string, seen: () => void) => Promise<void>;

interface PieceServer {
  readonly url: string;
  /** Milliseconds from the sending of each piece until the reader saw it. */
  samples(read: Reader): Promise<readonly number[]>;
}

async function pieceServer(stack: AsyncDisposableStack): Promise<PieceServer> {
  let send: () => void = () => {};
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { 'content-type': 'text/event-stream', connection: 'close' });
    let sent = 0;
    send = () => {
      sent += 1;
      const last = sent > PIECES;
      const delta = last ? {} : { content: `piece ${sent} of the reply ` };
      response.write(
        `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: last ? 'stop' : null }] })}\n\n`,
      );
      if (last) response.end('data: [DONE]\n\n');
    };
    begin();
  });
  let begin: () => void = () => {};
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  stack.defer(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    async samples(read) {
      const samples: number[] = [];
      let sentMs = 0;
      const next = () => {
        sentMs = performance.now();
        send();
      };
      begin = next;
      await read(url, () => {
        samples.push(performance.now() - sentMs);
        next();
      });
      return samples;
    },
  };
}

/** The shortest client that is correct for this server: no deadlines, no bounds, no calls. */
const readRaw: Reader = async (url, seen) => {
  const response = await fetch(`${url}/v1/chat/completions`, { method: 'POST', body: '{}' });
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const data = text.slice('data: '.length, end);
      text = text.slice(end + 2);
      if (data !== '[DONE]' && JSON.parse(data).choices[0].delta.content !== undefined) seen();
    }
  }
};

function hostModel(url: string): HostModel {
  const reading = readBackends({
    backends: [
      { name: 'local', type: 'openai_compatible', base_url: `${url}/v1`, models: [{ name: 'tiny' }] },
    ],
  });
  if (!reading.ok) throw new Error(reading.problem);
  return new Models({
    tables: reading.value,
    folder: '/',
    env: {},
    clock: systemClock(),
    readFile: async () => null,
  }).resolve();
}

const openLedger: AttemptLedger = {
  open: async () => ({ ok: true, attempt: { settle: async () => ({ nanousd: null }) } }),
};
