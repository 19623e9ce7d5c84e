import { answer, fail, line, type Request, text } from './plays.ts';
import type { Scenario } from './scenario.ts';
import { UNANSWERED_MS, unknown, usable } from './scenario-makers.ts';
import type { Stage } from './stage.ts';

const MIB = 1024 * 1024;

/** A line around a piece of text that JSON.stringify would not write. */
function raw(stage: Stage, id: number, content: string): void {
  stage.out(`{"jsonrpc":"2.0","id":${id},"result":${content}}\n`);
}

/** An answer that fills its line up to this many bytes. */
function padded(stage: Stage, { id }: Request, bytes: number): void {
  const message = { jsonrpc: '2.0', id, result: text('x'), pad: '' };
  const room = bytes - JSON.stringify(message).length;
  line(stage, { ...message, pad: 'p'.repeat(room) });
}

const framing: readonly Scenario[] = [
  unknown({
    name: 'not-json',
    does: 'answers a call with prose',
    code: 'plugin_malformed_json',
    clause: 'wire.framing.json',
    plays: { call: (stage) => stage.out('this is not JSON\n') },
  }),
  unknown({
    name: 'nan',
    does: 'writes NaN where a number belongs',
    code: 'plugin_malformed_json',
    clause: 'wire.framing.json',
    plays: { call: (stage, { id }) => raw(stage, id, '{"content":[],"structuredContent":{"n":NaN}}') },
  }),
  unknown({
    name: 'infinite-number',
    does: 'writes 1e999',
    code: 'plugin_malformed_json',
    clause: 'wire.framing.finite-numbers',
    plays: { call: (stage, { id }) => raw(stage, id, '{"content":[],"structuredContent":{"n":1e999}}') },
  }),
  unknown({
    name: 'huge-integer',
    does: 'writes 2 to the power of 53',
    code: 'plugin_malformed_json',
    clause: 'wire.framing.safe-integers',
    plays: {
      call: (stage, { id }) => raw(stage, id, '{"content":[],"structuredContent":{"n":9007199254740992}}'),
    },
  }),
  unknown({
    name: 'lone-surrogate',
    does: 'writes half of a surrogate pair',
    code: 'plugin_malformed_json',
    clause: 'wire.framing.surrogates',
    plays: { call: (stage, { id }) => raw(stage, id, '{"content":[{"type":"text","text":"\\ud800"}]}') },
  }),
  unknown({
    name: 'invalid-utf8',
    does: 'writes bytes that are no UTF-8',
    code: 'plugin_malformed_json',
    clause: 'wire.framing.utf8',
    plays: {
      call: (stage, { id }) => {
        stage.out(`{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"text","text":"`);
        stage.out(Buffer.from([0xff, 0xfe]));
        stage.out('"}]}}\n');
      },
    },
  }),
  unknown({
    name: 'byte-order-mark',
    does: 'begins its answer with a byte order mark',
    code: 'plugin_malformed_json',
    clause: 'wire.framing.no-bom',
    plays: {
      call: (stage, { id }) =>
        stage.out(`\ufeff${JSON.stringify({ jsonrpc: '2.0', id, result: text('x') })}\n`),
    },
  }),
  unknown({
    name: 'duplicate-key',
    does: 'writes a member twice',
    code: 'plugin_malformed_json',
    clause: 'wire.framing.unique-members',
    plays: {
      call: (stage, { id }) => stage.out(`{"jsonrpc":"2.0","id":${id},"id":${id},"result":{"content":[]}}\n`),
    },
  }),
  unknown({
    name: 'empty-line',
    does: 'answers a call with an empty line',
    code: 'plugin_malformed_json',
    clause: 'wire.framing.no-empty-line',
    plays: { call: (stage) => stage.out('\n') },
  }),
  unknown({
    name: 'half-frame',
    does: 'writes half of its answer and no more',
    code: 'plugin_timeout',
    clause: 'wire.framing.line-feed',
    timeoutMs: UNANSWERED_MS,
    plays: { call: (stage, { id }) => stage.out(`{"jsonrpc":"2.0","id":${id},"resu`) },
  }),
  unknown({
    name: 'half-frame-then-dies',
    does: 'writes half of its answer and ends',
    code: 'plugin_malformed_json',
    clause: 'wire.framing.line-feed',
    plays: {
      call: (stage, { id }) => {
        stage.out(`{"jsonrpc":"2.0","id":${id},"resu`);
        stage.exit(0);
      },
    },
  }),
  usable('frame-of-1-mib', 'answers with a line of exactly 1 MiB', {
    call: (stage, request) => padded(stage, request, MIB),
  }),
  unknown({
    name: 'frame-of-1-mib-and-1',
    does: 'answers with a line of 1 MiB and one byte',
    code: 'plugin_message_too_large',
    clause: 'wire.framing.max-bytes',
    plays: { call: (stage, request) => padded(stage, request, MIB + 1) },
  }),
  unknown({
    name: 'line-without-end',
    does: 'answers with more than 1 MiB and no LF',
    code: 'plugin_message_too_large',
    clause: 'wire.framing.max-bytes',
    plays: { call: (stage) => stage.out('x'.repeat(MIB + 1)) },
  }),
  unknown({
    name: 'floods-stdout',
    does: 'answers a call with 64 MiB of notifications',
    code: 'plugin_protocol_error',
    clause: 'wire.request.none',
    plays: {
      call: (stage) => {
        const flood =
          `${JSON.stringify({ jsonrpc: '2.0', method: 'log', params: { x: 'x'.repeat(1000) } })}\n`.repeat(
            64,
          );
        for (let written = 0; written < 64 * MIB; written += flood.length) stage.out(flood);
      },
    },
  }),
];

const responses: readonly Scenario[] = [
  unknown({
    name: 'wrong-jsonrpc',
    does: 'answers as JSON-RPC 1.0',
    code: 'plugin_protocol_error',
    clause: 'wire.response.envelope',
    plays: { call: (stage, { id }) => line(stage, { jsonrpc: '1.0', id, result: text('x') }) },
  }),
  unknown({
    name: 'array-answer',
    does: 'answers with a batch',
    code: 'plugin_protocol_error',
    clause: 'wire.response.envelope',
    plays: { call: (stage, { id }) => line(stage, [{ jsonrpc: '2.0', id, result: text('x') }]) },
  }),
  unknown({
    name: 'asks-back',
    does: 'answers a call with a request of its own',
    code: 'plugin_protocol_error',
    clause: 'wire.request.none',
    plays: {
      call: (stage, { id }) =>
        line(stage, { jsonrpc: '2.0', id, method: 'sampling/create', result: text('x') }),
    },
  }),
  unknown({
    name: 'notification',
    does: 'answers a call with a notification',
    code: 'plugin_protocol_error',
    clause: 'wire.request.none',
    plays: { call: (stage) => line(stage, { jsonrpc: '2.0', method: 'progress', params: {} }) },
  }),
  unknown({
    name: 'progress-before-answer',
    does: 'reports progress before it answers a call',
    code: 'plugin_protocol_error',
    clause: 'wire.request.none',
    plays: {
      call: (stage, { id }) => {
        line(stage, { jsonrpc: '2.0', method: 'progress', params: {} });
        answer(stage, id, text('x'));
      },
    },
  }),
  unknown({
    name: 'log-before-answer',
    does: 'logs to stdout before it answers a call',
    code: 'plugin_malformed_json',
    clause: 'wire.framing.stdout',
    plays: {
      call: (stage, { id }) => {
        stage.out('calling…\n');
        answer(stage, id, text('x'));
      },
    },
  }),
  unknown({
    name: 'result-and-error',
    does: 'answers with a result and an error',
    code: 'plugin_protocol_error',
    clause: 'wire.response.one-of',
    plays: {
      call: (stage, { id }) =>
        line(stage, { jsonrpc: '2.0', id, result: text('x'), error: { code: 1, message: 'x' } }),
    },
  }),
  unknown({
    name: 'result-and-null-error',
    does: 'answers with a result and the error null',
    code: 'plugin_protocol_error',
    clause: 'wire.response.one-of',
    plays: { call: (stage, { id }) => line(stage, { jsonrpc: '2.0', id, result: text('x'), error: null }) },
  }),
  unknown({
    name: 'null-result-and-error',
    does: 'answers with an error and the result null',
    code: 'plugin_protocol_error',
    clause: 'wire.response.one-of',
    plays: {
      call: (stage, { id }) =>
        line(stage, { jsonrpc: '2.0', id, result: null, error: { code: -32000, message: 'x' } }),
    },
  }),
  unknown({
    name: 'neither-result-nor-error',
    does: 'answers with neither a result nor an error',
    code: 'plugin_protocol_error',
    clause: 'wire.response.one-of',
    plays: { call: (stage, { id }) => line(stage, { jsonrpc: '2.0', id }) },
  }),
  unknown({
    name: 'error-without-message',
    does: 'answers with an error that says nothing',
    code: 'plugin_protocol_error',
    clause: 'wire.response.error',
    plays: { call: (stage, { id }) => fail(stage, id, { code: -32000, message: '' }) },
  }),
  unknown({
    name: 'error-with-text-code',
    does: 'answers with an error whose code is a text',
    code: 'plugin_protocol_error',
    clause: 'wire.response.error',
    plays: { call: (stage, { id }) => fail(stage, id, { code: 'E1', message: 'x' }) },
  }),
  unknown({
    name: 'error-with-long-message',
    does: 'answers with an error of 513 bytes',
    code: 'plugin_protocol_error',
    clause: 'wire.response.error',
    plays: { call: (stage, { id }) => fail(stage, id, { code: -32000, message: 'x'.repeat(513) }) },
  }),
  unknown({
    name: 'id-is-text',
    does: 'answers under the id as a text',
    code: 'plugin_response_id_invalid',
    clause: 'wire.response.id',
    plays: { call: (stage, { id }) => answer(stage, String(id), text('x')) },
  }),
  unknown({
    name: 'id-is-negative',
    does: 'answers under a negative id',
    code: 'plugin_response_id_invalid',
    clause: 'wire.response.id',
    plays: { call: (stage) => answer(stage, -1, text('x')) },
  }),
  unknown({
    name: 'id-is-fraction',
    does: 'answers under a fraction',
    code: 'plugin_response_id_invalid',
    clause: 'wire.response.id',
    plays: { call: (stage) => answer(stage, 2.5, text('x')) },
  }),
  unknown({
    name: 'id-is-null',
    does: 'answers a call with an error under the id null',
    code: 'plugin_response_id_invalid',
    clause: 'wire.response.id',
    plays: { call: (stage) => fail(stage, null, { code: -32000, message: 'x' }) },
  }),
  unknown({
    name: 'id-is-missing',
    does: 'answers without an id',
    code: 'plugin_response_id_invalid',
    clause: 'wire.response.id',
    plays: { call: (stage) => line(stage, { jsonrpc: '2.0', result: text('x') }) },
  }),
  unknown({
    name: 'id-of-earlier-request',
    does: 'answers under the id of the request before',
    code: 'plugin_duplicate_response_id',
    clause: 'wire.response.id',
    plays: { call: (stage, { id }) => answer(stage, id - 1, text('x')) },
  }),
  unknown({
    name: 'id-of-later-request',
    does: 'answers under an id that was not asked yet',
    code: 'plugin_unknown_response_id',
    clause: 'wire.response.id',
    plays: { call: (stage, { id }) => answer(stage, id + 1, text('x')) },
  }),
  {
    name: 'calls-not-found',
    does: 'lists tools and does not know tools/call',
    runner: { at: 'call', certainty: 'completed', code: 'plugin_rpc_error', state: 'ready' },
    clause: 'wire.call.answers',
    plays: { call: (stage, { id }) => fail(stage, id, { code: -32601, message: 'method not found' }) },
  },
  {
    name: 'rpc-error',
    does: 'answers a call with an error of its own words',
    runner: { at: 'call', certainty: 'completed', code: 'plugin_rpc_error', state: 'ready' },
    clause: null,
    plays: {
      call: (stage, { id }) => fail(stage, id, { code: -32000, message: 'planted-foreign-error-text' }),
    },
  },
  {
    name: 'answers-twice',
    does: 'answers a call twice',
    runner: { at: 'call', certainty: 'completed', code: null, state: 'plugin_unexpected_message' },
    clause: 'wire.response.once',
    plays: {
      call: (stage, { id }) => {
        const message = `${JSON.stringify({ jsonrpc: '2.0', id, result: text('x') })}\n`;
        stage.out(message + message);
      },
    },
  },
];

/** Calls whose answer is no line, or no response to that request. */
export const lineScenarios: readonly Scenario[] = [...framing, ...responses];
