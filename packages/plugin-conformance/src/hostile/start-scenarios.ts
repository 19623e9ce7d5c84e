import { answer, fail, line, nested, text, VERSION } from './plays.ts';
import type { Scenario } from './scenario.ts';
import { atStart, UNSTARTED_MS } from './scenario-makers.ts';

const HELLO = { protocolVersion: VERSION };
const PLANTED = 'planted-foreign-error-text';

/** Faults before the tools are listed, or instead of it. */
export const startScenarios: readonly Scenario[] = [
  atStart('initialize', {
    name: 'banner',
    does: 'writes a greeting to stdout when it starts',
    code: 'plugin_malformed_json',
    clause: 'wire.framing.silent-start',
    plays: { atStart: (stage) => stage.out('Echo plugin 1.0, listening on stdio\n') },
  }),
  atStart('initialize', {
    name: 'dies-at-once',
    does: 'ends as soon as it starts',
    code: 'plugin_eof',
    clause: 'wire.initialize.answers',
    plays: { atStart: (stage) => stage.exit(1) },
  }),
  atStart('initialize', {
    name: 'version-mismatch',
    does: 'answers initialize with another protocol’s version',
    code: 'plugin_protocol_version_mismatch',
    clause: 'wire.initialize.version',
    plays: { initialize: (stage, { id }) => answer(stage, id, { protocolVersion: '2025-11-25' }) },
  }),
  atStart('initialize', {
    name: 'version-missing',
    does: 'answers initialize without a version',
    code: 'plugin_protocol_version_mismatch',
    clause: 'wire.initialize.version',
    plays: { initialize: (stage, { id }) => answer(stage, id, {}) },
  }),
  atStart('initialize', {
    name: 'initialize-result-is-text',
    does: 'answers initialize with a text',
    code: 'plugin_initialize_invalid',
    clause: 'wire.initialize.result',
    plays: { initialize: (stage, { id }) => answer(stage, id, VERSION) },
  }),
  atStart('initialize', {
    name: 'initialize-too-deep',
    does: 'answers initialize with a member of more than 16 levels',
    code: 'plugin_initialize_invalid',
    clause: 'wire.initialize.result',
    plays: { initialize: (stage, { id }) => answer(stage, id, { ...HELLO, extra: nested(17) }) },
  }),
  atStart('initialize', {
    name: 'initialize-rpc-error',
    does: 'refuses initialize',
    code: 'plugin_rpc_error',
    clause: 'wire.initialize.answers',
    plays: { initialize: (stage, { id }) => fail(stage, id, { code: -32602, message: PLANTED }) },
  }),
  atStart('initialize', {
    name: 'initialize-never-answers',
    does: 'never answers initialize',
    code: 'plugin_timeout',
    clause: 'wire.initialize.answers',
    timeoutMs: UNSTARTED_MS,
    plays: { initialize: () => {} },
  }),
  atStart('initialize', {
    name: 'initialize-dies',
    does: 'ends when it is asked to initialize',
    code: 'plugin_eof',
    clause: 'wire.initialize.answers',
    plays: { initialize: (stage) => stage.exit(1) },
  }),
  atStart('initialize', {
    name: 'initialize-stray-before',
    does: 'sends a notification before it answers initialize',
    code: 'plugin_protocol_error',
    clause: 'wire.request.none',
    plays: {
      initialize: (stage, { id }) => {
        line(stage, { jsonrpc: '2.0', method: 'log', params: {} });
        answer(stage, id, HELLO);
      },
    },
  }),
  atStart('initialize', {
    name: 'initialize-closes-stdout',
    does: 'closes its stdout instead of answering initialize',
    code: 'plugin_eof',
    clause: 'wire.initialize.answers',
    plays: { initialize: (stage) => stage.closeStdout() },
  }),
  atStart('initialize', {
    name: 'initialize-id-of-later-request',
    does: 'answers initialize under another id',
    code: 'plugin_unknown_response_id',
    clause: 'wire.response.id',
    plays: { initialize: (stage, { id }) => answer(stage, id + 1, HELLO) },
  }),
  atStart('initialize', {
    name: 'initialize-half-line-then-dies',
    does: 'writes half of its answer to initialize and ends',
    code: 'plugin_malformed_json',
    clause: 'wire.framing.line-feed',
    plays: {
      initialize: (stage) => {
        stage.out('{"jsonrpc":"2.0","id":1,"resu');
        stage.exit(0);
      },
    },
  }),
  atStart('tools_list', {
    name: 'initialize-answers-twice',
    does: 'answers initialize twice',
    code: 'plugin_unexpected_message',
    clause: 'wire.response.once',
    plays: {
      initialize: (stage, { id }) => {
        const message = `${JSON.stringify({ jsonrpc: '2.0', id, result: HELLO })}\n`;
        stage.out(message + message);
      },
    },
  }),
  atStart('tools_list', {
    name: 'initialize-answers-then-dies',
    does: 'answers initialize and ends',
    code: 'plugin_eof',
    clause: 'wire.list.answers',
    plays: {
      initialize: (stage, { id }) => {
        answer(stage, id, HELLO);
        stage.exit(0);
      },
    },
  }),
  atStart('tools_list', {
    name: 'list-rpc-error',
    does: 'refuses tools/list',
    code: 'plugin_rpc_error',
    clause: 'wire.list.answers',
    plays: { list: (stage, { id }) => fail(stage, id, { code: -32601, message: PLANTED }) },
  }),
  atStart('tools_list', {
    name: 'list-never-answers',
    does: 'never answers tools/list',
    code: 'plugin_timeout',
    clause: 'wire.list.answers',
    timeoutMs: UNSTARTED_MS,
    plays: { list: () => {} },
  }),
  atStart('tools_list', {
    name: 'list-dies',
    does: 'ends when it is asked for its tools',
    code: 'plugin_eof',
    clause: 'wire.list.answers',
    plays: { list: (stage) => stage.exit(1) },
  }),
  atStart('tools_list', {
    name: 'list-not-json',
    does: 'answers tools/list with prose',
    code: 'plugin_malformed_json',
    clause: 'wire.framing.json',
    plays: { list: (stage) => stage.out('tools: none\n') },
  }),
  atStart('tools_list', {
    name: 'list-over-1-mib',
    does: 'lists tools in a line of more than 1 MiB',
    code: 'plugin_message_too_large',
    clause: 'wire.framing.max-bytes',
    plays: { list: (stage, { id }) => answer(stage, id, { ...text('x'.repeat(1024 * 1024)), tools: [] }) },
  }),
  atStart('tools_list', {
    name: 'list-half-line-then-dies',
    does: 'writes half of its list and ends',
    code: 'plugin_malformed_json',
    clause: 'wire.framing.line-feed',
    plays: {
      list: (stage) => {
        stage.out('{"jsonrpc":"2.0","id":2,"result":{"tools":[');
        stage.exit(0);
      },
    },
  }),
  atStart('tools_list', {
    name: 'list-answers-twice',
    does: 'answers tools/list twice',
    code: 'plugin_unexpected_message',
    clause: 'wire.response.once',
    plays: {
      list: (stage, { id }) => {
        const message = `${JSON.stringify({ jsonrpc: '2.0', id, result: { tools: [] } })}\n`;
        stage.out(message + message);
      },
    },
  }),
];
