import { answer, goodTools, line, type Request, text, VERSION } from './plays.ts';
import type { Scenario } from './scenario.ts';
import { idle, UNANSWERED_MS, unknown, usable } from './scenario-makers.ts';
import type { Stage } from './stage.ts';

const MIB = 1024 * 1024;
/** When nobody opens a gate: right after the answer, so that whoever listens for a moment hears it. */
const SOON_MS = 10;
/** Between two looks for a file. */
const LOOK_MS = 5;

/** Goes on once the file is there. */
function once(stage: Stage, path: string, then: () => void): void {
  if (stage.exists(path)) then();
  else stage.later(LOOK_MS, () => once(stage, path, then));
}

/** A watcher has seen the plugin ready before what comes now: it makes the file FILE.gate. */
function onGate(stage: Stage, then: () => void): void {
  if (stage.record === null) stage.later(SOON_MS, then);
  else once(stage, `${stage.record}.gate`, then);
}

/** A program that starts another one and ends, so that the last one belongs to nobody. */
function orphan(stage: Stage, request: Request, command: string, before: readonly string[]): void {
  const seconds = Number(request.params.arguments?.['seconds'] ?? 600);
  stage.spawn(command, [...before, '-c', `sleep ${seconds} & echo $!`], {
    detached: true,
    printsPid: true,
    ended: () => answer(stage, request.id, text('x')),
  });
}

const calls: readonly Scenario[] = [
  unknown({
    name: 'never-answers',
    does: 'never answers a call',
    code: 'plugin_timeout',
    clause: 'wire.call.answers',
    timeoutMs: UNANSWERED_MS,
    plays: { call: () => {} },
  }),
  unknown({
    name: 'answers-late',
    does: 'answers a call after its `afterMs`, else after half a minute',
    code: 'plugin_timeout',
    clause: 'wire.call.answers',
    timeoutMs: UNANSWERED_MS,
    plays: {
      call: (stage, { id, params }) =>
        stage.later(Number(params.arguments?.['afterMs'] ?? 30_000), () => answer(stage, id, text('late'))),
    },
  }),
  unknown({
    name: 'gate',
    does: 'answers a call once the file `until` of its arguments is there',
    code: 'plugin_timeout',
    clause: 'wire.call.answers',
    timeoutMs: UNANSWERED_MS,
    plays: {
      call: (stage, { id, params }) => {
        const { until = '' } = params.arguments ?? {};
        once(stage, String(until), () => answer(stage, id, text(JSON.stringify(params.arguments))));
      },
    },
  }),
  unknown({
    name: 'stops-reading',
    does: 'reads no more once it has listed its tools',
    code: 'plugin_timeout',
    clause: 'wire.call.answers',
    timeoutMs: UNANSWERED_MS,
    plays: { afterList: (stage) => stage.stopReading() },
  }),
  unknown({
    name: 'closes-stdin',
    does: 'closes its stdin before it lists its tools',
    code: 'plugin_stdin_failed',
    clause: 'wire.request.reads-on',
    plays: {
      // Before, not after: a call that was written in between would find nothing closed and wait until its time is out.
      list: (stage, { id }) => {
        stage.closeStdin();
        answer(stage, id, { tools: goodTools() });
      },
    },
  }),
  unknown({
    name: 'dies-on-call',
    does: 'ends when a tool is called',
    code: 'plugin_eof',
    clause: 'wire.call.answers',
    plays: { call: (stage) => stage.exit(3) },
  }),
  unknown({
    name: 'closes-stdout-on-call',
    does: 'closes its stdout when a tool is called',
    code: 'plugin_eof',
    clause: 'wire.call.answers',
    plays: { call: (stage) => stage.closeStdout() },
  }),
  {
    name: 'answers-then-dies',
    does: 'answers a call and ends',
    runner: { at: 'call', certainty: 'completed', code: null, state: 'plugin_eof' },
    clause: 'wire.life.goes-on',
    plays: {
      call: (stage, { id }) => {
        answer(stage, id, text('last words'));
        stage.exit(0);
      },
    },
  },
  unknown({
    name: 'leaves-pipe-holder-and-dies',
    does: 'ends at a call, and leaves a process on its stdout',
    code: 'plugin_eof',
    clause: 'wire.call.answers',
    plays: {
      call: (stage) => {
        stage.spawn('sleep', ['600'], { holdsStdout: true });
        stage.exit(0);
      },
    },
  }),
  unknown({
    name: 'forks-setsid-and-dies',
    does: 'ends at a call and leaves a process in another session',
    code: 'plugin_eof',
    clause: 'wire.call.answers',
    plays: {
      call: (stage) => {
        stage.spawn('sleep', ['600'], { detached: true });
        stage.exit(0);
      },
    },
  }),
];

const idles: readonly Scenario[] = [
  idle({
    name: 'idle-stray-line',
    does: 'sends a notification while nothing is asked',
    code: 'plugin_unexpected_message',
    clause: 'wire.request.none',
    plays: {
      afterList: (stage) => onGate(stage, () => line(stage, { jsonrpc: '2.0', method: 'log', params: {} })),
    },
  }),
  idle({
    name: 'idle-second-answer',
    does: 'answers tools/list again while nothing is asked',
    code: 'plugin_unexpected_message',
    clause: 'wire.response.once',
    plays: { afterList: (stage) => onGate(stage, () => answer(stage, 2, { tools: [] })) },
  }),
  idle({
    name: 'idle-banner',
    does: 'writes prose to stdout while nothing is asked',
    code: 'plugin_malformed_json',
    clause: 'wire.framing.stdout',
    plays: { afterList: (stage) => onGate(stage, () => stage.out('plugin is ready\n')) },
  }),
  idle({
    name: 'idle-empty-line',
    does: 'writes an empty line while nothing is asked',
    code: 'plugin_malformed_json',
    clause: 'wire.framing.no-empty-line',
    plays: { afterList: (stage) => onGate(stage, () => stage.out('\n')) },
  }),
  idle({
    name: 'idle-half-line-then-dies',
    does: 'writes half a line and ends while nothing is asked',
    code: 'plugin_malformed_json',
    clause: 'wire.framing.line-feed',
    plays: {
      afterList: (stage) =>
        onGate(stage, () => {
          stage.out('{"half"');
          stage.exit(0);
        }),
    },
  }),
  unknown({
    name: 'idle-half-line',
    does: 'writes half a line while nothing is asked, and goes on',
    code: 'plugin_malformed_json',
    clause: 'wire.framing.line-feed',
    // A Runner sees it with the next answer, which ends the line.
    plays: { afterList: (stage) => stage.out('{"half"') },
  }),
  idle({
    name: 'idle-huge-line',
    does: 'writes a line of more than 1 MiB while nothing is asked',
    code: 'plugin_message_too_large',
    clause: 'wire.framing.max-bytes',
    plays: { afterList: (stage) => onGate(stage, () => stage.out('x'.repeat(MIB + 1))) },
  }),
  idle({
    name: 'idle-floods-stdout',
    does: 'writes 64 MiB of prose while nothing is asked',
    code: 'plugin_malformed_json',
    clause: 'wire.framing.stdout',
    plays: {
      afterList: (stage) =>
        onGate(stage, () => {
          const flood = `${'x'.repeat(1000)}\n`.repeat(64);
          for (let written = 0; written < 64 * MIB; written += flood.length) stage.out(flood);
        }),
    },
  }),
  idle({
    name: 'idle-death',
    does: 'ends while nothing is asked',
    code: 'plugin_eof',
    clause: 'wire.life.goes-on',
    plays: { afterList: (stage) => onGate(stage, () => stage.exit(0)) },
  }),
  idle({
    name: 'idle-closes-stdout',
    does: 'closes its stdout while nothing is asked',
    code: 'plugin_eof',
    clause: 'wire.life.goes-on',
    plays: { afterList: (stage) => onGate(stage, () => stage.closeStdout()) },
  }),
];

const children: readonly Scenario[] = [
  usable(
    'forks-setsid',
    'answers a call and leaves a process in a session of its own',
    {
      call: (stage, { id }) => {
        stage.spawn('sleep', ['600'], { detached: true });
        answer(stage, id, text('x'));
      },
    },
    'wire.manners.no-child-left',
  ),
  usable(
    'double-forks',
    'answers a call and gives a process away',
    { call: (stage, request) => orphan(stage, request, 'sh', []) },
    'wire.manners.no-child-left',
  ),
  usable('double-forks-without-environment', 'answers, and gives away a process without mark', {
    call: (stage, request) => orphan(stage, request, 'env', ['-i', 'PATH=/usr/bin:/bin', 'sh']),
  }),
];

const alone: readonly Scenario[] = [
  usable(
    'needs-to-be-alone',
    'binds one port, and ends where it is taken',
    {
      initialize: (stage, { id }) =>
        stage.bindPort((isBound) => {
          if (isBound) answer(stage, id, { protocolVersion: VERSION });
          else {
            stage.err('the port is taken\n');
            stage.exit(1);
          }
        }),
    },
    'wire.life.beside',
  ),
];

/** Processes that hang, end, fall silent, leave others behind or bear none beside themselves. */
export const processScenarios: readonly Scenario[] = [...calls, ...idles, ...children, ...alone];
