import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Json, JsonObject } from '@fairlead/base';

/** A request that the stub got. */
interface StubRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: JsonObject;
}

/** Answers one request. Whoever does not end the response leaves the client waiting. */
export type StubAnswer = (response: ServerResponse, request: StubRequest) => void | Promise<void>;

export interface ModelStub {
  readonly url: string;
  readonly requests: readonly StubRequest[];
  /** Answers for the requests to come, one each; one more is answered with 418. */
  readonly answers: StubAnswer[];
  /** Resolves with the next request, once the stub has it whole. */
  next(): Promise<StubRequest>;
  /** Resolves when the connection of the newest request is closed. */
  closed(): Promise<void>;
}

/** A server on loopback that answers as it is told, for tests of what talks to models. */
export async function modelStub(t: { after(hook: () => unknown): void }): Promise<ModelStub> {
  const requests: StubRequest[] = [];
  const answers: StubAnswer[] = [];
  const waiting: ((request: StubRequest) => void)[] = [];
  let closed: Promise<void> = Promise.resolve();
  const server = createServer((incoming, response) => {
    closed = new Promise((resolve) => response.once('close', () => resolve()));
    // Kept connections of the client would outlive the test.
    response.setHeader('connection', 'close');
    void answer(incoming, response);
  });
  async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const request: StubRequest = {
      method: incoming.method ?? '',
      path: incoming.url ?? '',
      headers: incoming.headers,
      body: JSON.parse(Buffer.concat(chunks).toString('utf8')) as JsonObject,
    };
    requests.push(request);
    const answerIt = answers.shift() ?? refuse(418, {});
    waiting.shift()?.(request);
    await answerIt(response, request);
  }
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    answers,
    next: () => new Promise((resolve) => waiting.push(resolve)),
    closed: () => closed,
  };
}

/** A refusal with a body. */
export function refuse(
  status: number,
  body: Json,
  headers: Readonly<Record<string, string>> = {},
): StubAnswer {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  };
}

/** The text of a stream as it goes over the wire, cut into pieces of `size` bytes wherever that falls; `ends`: whether the connection ends well. */
export function stream(
  text: string,
  options: { readonly size?: number; readonly ends?: boolean } = {},
): StubAnswer {
  const { size = text.length || 1, ends = true } = options;
  return async (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; at += size) {
      response.write(bytes.subarray(at, at + size));
      // Each piece by itself on the wire.
      await new Promise((resolve) => setImmediate(resolve));
    }
    if (ends) response.end();
    else response.socket?.destroy();
  };
}

/** Answers that it never begins. */
export const silent: StubAnswer = () => {};

/** Begins, and says no more. */
export function stall(text: string): StubAnswer {
  return (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(text);
  };
}

/** The chunks of an OpenAI-compatible stream: `delta` of the first choice, or a whole chunk. */
export function openAiStream(...chunks: readonly JsonObject[]): string {
  return `${chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('')}data: [DONE]\n\n`;
}

export function openAiDelta(delta: JsonObject, finish: string | null = null): JsonObject {
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1_760_000_000,
    model: 'tiny',
    choices: [{ index: 0, delta, finish_reason: finish }],
  };
}

/** The chunk at the end that counts. */
export function openAiUsage(usage: JsonObject): JsonObject {
  return { id: 'chatcmpl-1', created: 1_760_000_000, model: 'tiny', choices: [], usage };
}

/** The events of an Anthropic stream. */
export function anthropicStream(...events: readonly (JsonObject & { readonly type: string })[]): string {
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
}

export function anthropicStart(usage: JsonObject = { input_tokens: 12, output_tokens: 1 }) {
  return {
    type: 'message_start',
    message: {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'claude',
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage,
    },
  };
}

/** One block: its start, its deltas, its stop. */
export function anthropicBlock(index: number, block: JsonObject, ...deltas: readonly JsonObject[]) {
  return [
    { type: 'content_block_start', index, content_block: block },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ];
}

export function anthropicEnd(reason: string, usage: JsonObject = { output_tokens: 5 }) {
  return [
    { type: 'message_delta', delta: { stop_reason: reason, stop_sequence: null }, usage },
    { type: 'message_stop' },
  ];
}
