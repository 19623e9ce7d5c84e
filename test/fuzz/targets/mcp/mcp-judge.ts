import { hold } from '../../engine/target.ts';
import type { McpAnswer } from './mcp-connection.ts';
import { isRecord, type McpPost } from './mcp-posts.ts';

/** What is the same for everybody: the list of tools, by revision, and the secret that nobody is ever shown. */
export type McpKnown = { readonly tools: ReadonlyMap<string, string>; readonly token: string };

/** The longest list of tools is well below this. */
const ANSWER_MAX = 64 * 1_024;
const REFUSAL_MAX = 4 * 1_024;
/** What an answer may say beside its body. */
const HEADERS: ReadonlySet<string> = new Set([
  'content-type',
  'content-length',
  'cache-control',
  'x-content-type-options',
  'www-authenticate',
  'allow',
  'date',
  'connection',
  'keep-alive',
]);
/** Before there is a message: these have the envelope of the HTTP API. */
const ENVELOPES: ReadonlySet<number> = new Set([401, 403, 405, 431]);

/** What must hold of the answer to one request, whatever it was. */
export function judgeAnswer(post: McpPost, answer: McpAnswer, known: McpKnown): void {
  const { status, headers, text } = answer;
  hold(status < 500, 'no answer asks to be sent again', () => `${status} ${text}`);
  for (const name of headers.keys()) hold(HEADERS.has(name), 'an answer has no header but ours', () => name);
  hold(!text.includes(known.token), 'no answer shows the token');
  if (text === '') {
    hold(status === 202 || status === 204, 'only what needs no answer has none', () => String(status));
    if (status === 202) hold(!isRequest(post.message), 'a request is not taken for a notification');
    return;
  }
  hold(headers.get('content-type') === 'application/json; charset=utf-8', 'an answer is JSON');
  const said = JSON.parse(text) as unknown;
  hold(isRecord(said), 'an answer is one object');
  if (!post.isPlain && 'success' in said) {
    judgeEnvelope(status, said);
    return;
  }
  hold(!ENVELOPES.has(status), 'a client of the protocol is answered by it', () => `${status} ${text}`);
  judgeMessage(post, status, said, text, known);
}

/** What was broken may be answered, and never in a way that asks for it again. */
export function judgeLast({ status, text }: McpAnswer, token: string): void {
  hold(status < 500, 'no refusal asks to be sent again', () => `${status} ${text}`);
  hold(!text.includes(token), 'no refusal shows the token');
}

function judgeEnvelope(status: number, { success, error }: Record<string, unknown>): void {
  hold(success === false && status >= 400, 'an envelope here is a refusal', () => String(status));
  hold(isRecord(error) && typeof error['code'] === 'string', 'a refusal has a code');
}

function judgeMessage(
  { message, isPlain, era }: McpPost,
  status: number,
  said: Record<string, unknown>,
  text: string,
  known: McpKnown,
): void {
  const { jsonrpc, id, result, error } = said;
  hold(jsonrpc === '2.0' && Object.hasOwn(said, 'id'), 'an answer is one of the protocol', () => text);
  hold((result === undefined) !== (error === undefined), 'an answer is a result or an error', () => text);
  const asked = isRecord(message) ? message : {};
  const isOwn = JSON.stringify(id) === JSON.stringify(asked['id']);
  hold(isOwn || id === null, 'an answer has the id of its request, or none', () => text);
  if (status === 200) {
    hold(isOwn && isRequest(message), 'only a request has a result', () => text);
    hold(isPlain || !('success' in said), 'a result is for who may have it');
  }
  if (isRecord(error)) {
    hold(
      Number.isInteger(error['code']) && typeof error['message'] === 'string',
      'an error has code and words',
    );
    hold(error['code'] !== -32603, 'no request is an internal error', () => text);
    hold(text.length <= REFUSAL_MAX, 'an error repeats nothing long');
    return;
  }
  hold(status === 200 && isRecord(result), 'a result is an object, and a 200', () => text);
  hold(text.length <= ANSWER_MAX, 'a result is bounded', () => String(text.length));
  if (asked['method'] === 'ping' && era !== '2026-07-28')
    hold(Object.keys(result).length === 0, 'a ping is empty');
  if (asked['method'] === 'tools/list')
    hold(JSON.stringify(result['tools']) === known.tools.get(era), 'the list is the same for everybody');
  if (asked['method'] === 'tools/call') judgeCall(result);
}

/** No Runner is there: nothing can have been sent, whatever was asked. */
function judgeCall(result: Record<string, unknown>): void {
  const { isError, structuredContent, _meta } = result;
  const about = (isError === true ? structuredContent : _meta) as Record<string, unknown> | undefined;
  const state = about?.['dispatchState'];
  hold(state === (isError === true ? 'not_started' : 'completed'), 'a call says what became of it', () =>
    JSON.stringify(result),
  );
  const [content] = result['content'] as { type?: unknown; text?: unknown }[];
  hold(content?.type === 'text' && typeof content.text === 'string', 'a call has words');
  if (isError !== true) return;
  hold(Buffer.byteLength(content.text) <= 1_024, 'the words of a failure are few', () =>
    String(content.text),
  );
  const error = (structuredContent as { error?: { code?: unknown } }).error;
  hold(typeof error?.code === 'string' && content.text.includes(error.code), 'a failure has its code');
}

/** By the words of JSON-RPC. */
function isRequest(message: unknown): boolean {
  if (!isRecord(message)) return false;
  const { jsonrpc, id, method } = message;
  return jsonrpc === '2.0' && typeof method === 'string' && (typeof id === 'string' || Number.isInteger(id));
}
