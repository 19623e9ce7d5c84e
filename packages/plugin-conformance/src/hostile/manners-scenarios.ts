import { answer, fail, goodTools, line, type Plays, READ_ONLY, tool, VERSION } from './plays.ts';
import type { Scenario } from './scenario.ts';
import { unknown, usable } from './scenario-makers.ts';
import type { Stage } from './stage.ts';

const dies = (stage: Stage): void => stage.exit(3);

/** What no Runner provokes; the kit does. */
const unmannered: readonly Scenario[] = [
  usable(
    'dies-on-second-list',
    'ends when it is asked for its tools again',
    { secondList: dies },
    'wire.manners.list-again',
  ),
  usable(
    'drops-joined-requests',
    'reads the first line of each piece alone',
    { reading: 'first' },
    'wire.manners.joined',
  ),
  usable(
    'dies-on-notification',
    'ends when a line has no id',
    { notification: dies },
    'wire.manners.notification',
  ),
  usable(
    'answers-notification',
    'answers a line that has no id with a result',
    { notification: (stage) => answer(stage, null, {}) },
    'wire.manners.notification',
  ),
  usable(
    'dies-on-unknown-method',
    'ends when it does not know a method',
    { unknownMethod: dies },
    'wire.manners.unknown-method',
  ),
  usable(
    'accepts-unknown-method',
    'answers every method with a result',
    { unknownMethod: (stage, { id }) => answer(stage, id, {}) },
    'wire.manners.unknown-method',
  ),
  usable(
    'dies-on-malformed-line',
    'ends when a line is no JSON',
    { malformedLine: dies },
    'wire.manners.malformed-line',
  ),
  usable(
    'dies-on-large-line',
    'ends when a line has 1 MiB',
    { largeLine: dies },
    'wire.manners.largest-line',
  ),
  usable(
    'echoes-version',
    'claims every protocol version that it is asked for',
    {
      otherVersion: (stage, { id, params }) => answer(stage, id, { protocolVersion: params.protocolVersion }),
    },
    'wire.manners.other-version',
  ),
  usable(
    'dies-on-unknown-tool',
    'ends when it does not know a tool',
    { unknownTool: dies },
    'wire.manners.unknown-tool',
  ),
  usable(
    'dies-on-bad-arguments',
    'ends when arguments break their schema',
    { badArguments: dies },
    'wire.manners.bad-arguments',
  ),
  usable(
    'needs-environment',
    'ends at once unless it is told who it is',
    {
      atStart: (stage) => {
        if (stage.env['HOME'] !== undefined) return;
        stage.err('HOME is not set\n');
        stage.exit(1);
      },
    },
    'wire.manners.path-only',
  ),
  usable(
    'changes-tools',
    'lists another definition each time that it is started',
    { tools: (stage) => [tool('echo', { description: `Started as ${stage.ownMark}`, ...READ_ONLY })] },
    'wire.manners.same-tools',
  ),
  usable(
    'ignores-stdin-end',
    'goes on when its stdin has ended',
    { stdinEnd: 'goes_on' },
    'wire.manners.stdin-end',
  ),
  usable(
    'ignores-sigterm',
    'does not hear SIGTERM',
    { atStart: (stage) => stage.ignoreSigterm() },
    'wire.manners.sigterm',
  ),
];

const demanding: readonly Scenario[] = [
  usable(
    'reads-by-chunk',
    'takes each piece that it reads for one line',
    { reading: 'chunks', malformedLine: dies },
    'wire.framing.pieces',
  ),
  unknown({
    name: 'dies-beyond-ascii',
    does: 'ends when arguments hold anything but ASCII',
    code: 'plugin_eof',
    clause: 'wire.call.utf8-arguments',
    callArguments: { text: 'é' },
    plays: callUnless((args) => /[^\u0000-\u007f]/.test(args)),
  }),
  usable(
    'decodes-by-chunk',
    'decodes each piece that it reads by itself',
    { reading: 'decoded_chunks' },
    'wire.call.utf8-arguments',
  ),
  unknown({
    name: 'dies-on-large-arguments',
    does: 'ends when arguments have more than 32 KiB',
    code: 'plugin_eof',
    clause: 'wire.call.largest-arguments',
    callArguments: { text: 'x'.repeat(40_000) },
    plays: callUnless((args) => args.length > 32 * 1024),
  }),
];

function callUnless(isTooMuch: (args: string) => boolean): Plays {
  return {
    call: (stage, { id, params }) => {
      const args = JSON.stringify(params.arguments);
      if (isTooMuch(args)) stage.exit(3);
      else answer(stage, id, { content: [{ type: 'text', text: args }] });
    },
  };
}

/** What a plugin may do; nobody may mind. */
const free: readonly Scenario[] = [
  usable('well-behaved', 'does everything well', {}),
  { ...usable('no-tools', 'lists no tool', { tools: () => [] }), runner: { at: 'ready' } },
  {
    ...usable('128-tools', 'lists 128 tools', {
      tools: () => Array.from({ length: 128 }, (_, index) => tool(`tool-${index}`)),
    }),
    runner: { at: 'ready' },
  },
  usable('initialize-extra-members', 'adds members to the result of initialize', {
    initialize: (stage, { id }) => answer(stage, id, { protocolVersion: VERSION, serverInfo: { name: 'x' } }),
  }),
  usable('response-extra-members', 'adds members to its answers and errors', {
    call: (stage, { id }) => line(stage, { jsonrpc: '2.0', id, result: { content: [] }, took: 3 }),
    unknownTool: (stage, { id }) => fail(stage, id, { code: -32602, message: 'unknown tool', data: {} }),
  }),
  usable('carriage-returns', 'ends its lines with CR LF', {
    list: (stage, { id }) =>
      stage.out(`${JSON.stringify({ jsonrpc: '2.0', id, result: { tools: goodTools() } })}\r\n`),
  }),
  usable('slow-initialize', 'takes a third of a second to answer initialize', {
    initialize: (stage, { id }) => stage.later(300, () => answer(stage, id, { protocolVersion: VERSION })),
  }),
  usable('floods-stderr', 'writes 4 MiB to stderr before it answers a call', {
    call: (stage, { id }) => {
      for (let index = 0; index < 64; index += 1) stage.err(`${'e'.repeat(64 * 1024 - 1)}\n`);
      answer(stage, id, { content: [{ type: 'text', text: 'x' }] });
    },
  }),
  usable('stderr-marker', 'writes what HOSTILE_MARKER holds to stderr when it starts', {
    atStart: (stage) => stage.err(`planted-stderr-marker ${stage.env['HOSTILE_MARKER']}\n`),
  }),
];

/** Plugins that a Runner can use: free ones, ones that break what no Runner tries, and ones that break on odd calls. */
export const mannersScenarios: readonly Scenario[] = [...free, ...unmannered, ...demanding];
