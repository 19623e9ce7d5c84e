import type { Json } from '@fairlead/base';
import type { Exit } from '@fairlead/process';
import type { ClauseFault } from '../clauses/clause-fault.ts';
import type { ClauseId } from '../clauses/clauses.ts';
import type { Findings } from '../report/findings.ts';
import { readAnswer, strayFault } from './line-faults.ts';
import type { Exchange, OutputEnd, PluginSession } from './plugin-session.ts';
import { shownBytes } from './shown.ts';

/** A good answer, or null where something was wrong and has been noted. */
export type Judged =
  | { readonly kind: 'result'; readonly result: Json; readonly bytes: number }
  | { readonly kind: 'error'; readonly code: number }
  | null;

/** What every good answer shows. */
const SHOWN_BY_AN_ANSWER: readonly ClauseId[] = [
  'wire.framing.json',
  'wire.framing.utf8',
  'wire.framing.no-bom',
  'wire.framing.line-feed',
  'wire.framing.no-empty-line',
  'wire.framing.max-bytes',
  'wire.framing.unique-members',
  'wire.framing.surrogates',
  'wire.framing.finite-numbers',
  'wire.framing.safe-integers',
  'wire.framing.silent-start',
  'wire.request.none',
  'wire.request.reads-on',
  'wire.response.envelope',
  'wire.response.id',
  'wire.response.one-of',
  'wire.response.extra-members',
];

/** Holds what came of a request against the wire. `answers`: the clause that is broken where there is no answer. */
export function judge(
  findings: Findings,
  session: PluginSession,
  exchange: Exchange,
  answers: ClauseId,
): Judged {
  const earlier = new Set(session.answered);
  earlier.delete(exchange.id);
  for (const line of exchange.noise) findings.fault(strayFault(line, earlier));
  if (exchange.kind !== 'line') {
    findings.fault(missingAnswer(session, exchange, answers));
    return null;
  }
  const read = readAnswer(exchange.line, exchange.id);
  if (read.kind === 'fault') {
    // A greeting that came late is still a greeting, and not a bad answer.
    const isGreeting = earlier.size === 0 && read.fault.clause === 'wire.framing.json';
    findings.fault(isGreeting ? strayFault(exchange.line, earlier) : read.fault);
    return null;
  }
  findings.pass(...SHOWN_BY_AN_ANSWER);
  if (read.kind === 'error') findings.pass('wire.response.error');
  return exchange.noise.length > 0 ? null : read;
}

/** Notes lines that nobody asked for, whole or not, and an end that nobody asked for. True where there was nothing of it. */
export function judgeIdle(findings: Findings, session: PluginSession): boolean {
  const { lines, end, part } = session.takeStrays();
  const faults = lines.map((line) => strayFault(line, session.answered));
  if (end !== null) faults.push(endFault(end, part, 'wire.life.goes-on', session.exit));
  else if (part.length > 0) faults.push(lineFeedFault(part));
  for (const fault of faults) findings.fault(fault);
  return faults.length === 0 && session.sound;
}

function missingAnswer(
  session: PluginSession,
  exchange: Exclude<Exchange, { kind: 'line' }>,
  answers: ClauseId,
): ClauseFault {
  switch (exchange.kind) {
    case 'stdin_closed':
      return {
        clause: 'wire.request.reads-on',
        expected: 'a plugin that reads its stdin',
        seen: 'it was closed',
      };
    case 'timeout':
      return exchange.part.length > 0
        ? lineFeedFault(exchange.part)
        : { clause: answers, expected: 'an answer within its time', seen: `none${lastWords(session)}` };
    default: {
      const fault = endFault(exchange.end, exchange.part, answers, exchange.exit);
      return { ...fault, seen: `${fault.seen}${lastWords(session)}` };
    }
  }
}

function endFault(end: OutputEnd, part: Uint8Array, clause: ClauseId, exit: Exit | null): ClauseFault {
  switch (end) {
    case 'part_of_a_line':
      return lineFeedFault(part);
    case 'empty_line':
      return {
        clause: 'wire.framing.no-empty-line',
        expected: 'lines that hold a message',
        seen: 'an empty line',
      };
    case 'line_too_long':
      return {
        clause: 'wire.framing.max-bytes',
        expected: 'a line of at most 1,048,576 bytes',
        seen: `a longer one that begins ${shownBytes(part)}`,
      };
    case 'flood':
      return {
        clause: 'wire.framing.stdout',
        expected: 'nothing but answers on stdout',
        seen: 'a flood of lines',
      };
    case 'eof': {
      const expected = clause === 'wire.life.goes-on' ? 'a process that goes on' : 'an answer';
      return { clause, expected, seen: endOf(exit) };
    }
  }
}

function lineFeedFault(part: Uint8Array): ClauseFault {
  return { clause: 'wire.framing.line-feed', expected: 'a line that ends with LF', seen: shownBytes(part) };
}

function endOf(exit: Exit | null): string {
  if (exit === null) return 'its stdout was closed';
  return exit.code === null ? `it was ended by ${exit.signal}` : `it ended with exit code ${exit.code}`;
}

/** The author reads this on the machine where the plugin ran, so its last line on stderr may help. */
export function lastWords(session: PluginSession): string {
  const last = session.stderr.lines().at(-1);
  return last === undefined ? '' : `; the last line of its stderr: ${shownBytes(Buffer.from(last.text))}`;
}
