import { checkJsonBounds, isJsonObject, type JsonObject, jsonEqual } from '@fairlead/base';
import { type AdmittedTool, argumentsBounds, type FrozenCatalog } from '@fairlead/protocol';
import type { ClauseId } from '../clauses/clauses.ts';
import { runLimits } from '../limits.ts';
import { judge, judgeIdle } from '../plugin/judge.ts';
import type { Exchange, PluginSession } from '../plugin/plugin-session.ts';
import type { CalledTools } from '../report/conformance-report.ts';
import { cutFault } from './check-cut.ts';
import { resultFaults, SHOWN_BY_A_RESULT } from './result-faults.ts';
import { type Run, readySession } from './run.ts';
import {
  BEYOND_ASCII,
  fullArguments,
  largestArguments,
  smallestArguments,
  unicodeArguments,
} from './sample-arguments.ts';

/** One call, and the clause that is broken where it has no answer. */
type PlannedCall = {
  readonly tool: AdmittedTool;
  readonly arguments: JsonObject;
  readonly answers: 'wire.call.answers' | 'wire.call.utf8-arguments' | 'wire.call.largest-arguments';
};

const CALL_CLAUSES: readonly ClauseId[] = [
  'wire.call.answers',
  'wire.call.utf8-arguments',
  ...SHOWN_BY_A_RESULT,
  'wire.call.output-schema',
  'wire.call.largest-arguments',
];

/** True where the author says that a call changes nothing. Only such tools are called without being named. */
export function isReadOnly({ definition }: AdmittedTool): boolean {
  const { annotations } = definition;
  if (annotations === undefined || !isJsonObject(annotations)) return false;
  return annotations['readOnlyHint'] === true && annotations['destructiveHint'] !== true;
}

/**
 * Calls every tool that is annotated as read-only with arguments made from its schema, and what the caller named with the
 * caller's own. `session` is taken over; the one that is returned has answered everything, or is null where there is none.
 */
export async function checkCalls(
  run: Run,
  session: PluginSession,
  catalog: FrozenCatalog,
): Promise<CalledTools & { readonly session: PluginSession | null }> {
  const { findings } = run;
  const planned = plan(run, catalog);
  const called = [...new Set(planned.map(({ tool }) => tool.name))];
  const notCalled = [...catalog.tools.keys()].filter((name) => !called.includes(name));
  if (planned.length === 0) findings.skip(nothingToCall(catalog), CALL_CLAUSES);
  if (!planned.some(({ tool }) => tool.output !== undefined))
    findings.skip('no tool that was called has an outputSchema', ['wire.call.output-schema']);
  let current: PluginSession | null = session;
  let failed = 0;
  const outcomes = new Set<Made>();
  const badTools = new Set<string>();
  for (const call of planned) {
    // Larger and odder arguments say nothing new about a tool that fails with plain ones.
    if (badTools.has(call.tool.name) && call.answers !== 'wire.call.answers') continue;
    current ??= await readySession(run);
    if (current === null) break;
    const made = await makeCall(run, current, call);
    let isFine = made === 'result' || made === 'error' || made === 'bad_answer';
    // After the first answer and after the last, what comes unasked is listened for.
    if (isFine && (call === planned[0] || call === planned.at(-1))) {
      await current.listen();
      isFine = judgeIdle(findings, current);
    }
    outcomes.add(made);
    if (made === 'bad_answer' || !isFine) {
      badTools.add(call.tool.name);
      failed += 1;
    }
    if (!isFine) current = null;
    // Whoever lets one call wait, or reads no more, is not asked again: each question would cost its whole time.
    if (made === 'unread') break;
    if (failed >= runLimits.maxFailedCalls) break;
  }
  if (outcomes.size === 1 && outcomes.has('error'))
    findings.skip('every call was answered with an error', [...SHOWN_BY_A_RESULT, 'wire.call.output-schema']);
  const notMade = run.calls.flatMap(({ tool, arguments: args }) =>
    whyNot(catalog.tools.get(tool), tool, args),
  );
  return { called, notCalled, notMade, session: current };
}

function nothingToCall({ tools }: FrozenCatalog): string {
  return tools.size === 0
    ? 'the plugin lists no tool'
    : 'no tool is annotated readOnlyHint; name one with --call TOOL=JSON';
}

function plan({ calls, findings }: Run, { tools }: FrozenCatalog): PlannedCall[] {
  const planned: PlannedCall[] = [];
  const add = (tool: AdmittedTool, args: JsonObject | null, answers: PlannedCall['answers']): boolean => {
    if (args === null || !isAllowed(tool, args)) return false;
    const isKnown = planned.some((call) => call.tool === tool && jsonEqual(call.arguments, args));
    if (!isKnown) planned.push({ tool, arguments: args, answers });
    return !isKnown;
  };
  const readOnly = [...tools.values()].filter(isReadOnly);
  for (const tool of readOnly) {
    const schema = schemaOf(tool);
    add(tool, smallestArguments(schema), 'wire.call.answers');
    add(tool, fullArguments(schema), 'wire.call.answers');
  }
  for (const { tool: name, arguments: args } of calls) {
    const tool = tools.get(name);
    if (tool !== undefined && isAllowed(tool, args))
      planned.push({ tool, arguments: args, answers: 'wire.call.answers' });
  }
  // One tool shows how the plugin reads; all of them would only take longer.
  const odd = (answers: PlannedCall['answers'], make: (schema: JsonObject) => JsonObject | null): void => {
    if (!readOnly.some((tool) => add(tool, make(schemaOf(tool)), answers)))
      findings.skip('no tool that is annotated readOnlyHint has room for such arguments', [answers]);
  };
  odd('wire.call.utf8-arguments', unicodeArguments);
  odd('wire.call.largest-arguments', largestArguments);
  return planned;
}

function schemaOf({ definition }: AdmittedTool): JsonObject {
  return definition['inputSchema'] as JsonObject;
}

function whyNot(
  tool: AdmittedTool | undefined,
  name: string,
  args: JsonObject,
): { readonly tool: string; readonly why: string }[] {
  if (tool === undefined) return [{ tool: name, why: 'the plugin lists no such tool' }];
  if (isAllowed(tool, args)) return [];
  const { path, expected } = tool.input.fault(args) ?? { path: '', expected: 'at most 64 KiB' };
  return [{ tool: name, why: `the arguments${path === '' ? '' : ` ${path}`} must be ${expected}` }];
}

function isAllowed(tool: AdmittedTool, args: JsonObject): boolean {
  return isJsonObject(args) && checkJsonBounds(args, argumentsBounds) === null && tool.input.matches(args);
}

/**
 * `bad_answer`: an answer that is wrong, of a process that is in step; `no_answer`: none that is one, and the process is not to
 * be trusted; `unread`: it may not have been read at all.
 */
type Made = 'result' | 'error' | 'bad_answer' | 'no_answer' | 'unread';

async function makeCall(run: Run, session: PluginSession, call: PlannedCall): Promise<Made> {
  const whole = await session.ask('tools/call', paramsOf(call));
  const made = judgeCall(run, session, call, whole);
  const isAnswered = made === 'result' || made === 'error';
  return isAnswered && call.answers === 'wire.call.utf8-arguments'
    ? await makeCutCall(run, session, call, whole)
    : made;
}

/** The same call once more, whose second piece begins within a character. */
async function makeCutCall(
  run: Run,
  session: PluginSession,
  call: PlannedCall,
  whole: Exchange,
): Promise<Made> {
  const request = session.next('tools/call', paramsOf(call));
  await session.sendInPieces(request.bytes, [request.bytes.indexOf(BEYOND_ASCII) + 1]);
  const cut = await session.answerTo(request.id);
  const made = judgeCall(run, session, call, cut);
  const fault = whole.kind === 'line' && cut.kind === 'line' ? cutFault(whole.line, cut.line) : null;
  if (fault === null || (made !== 'result' && made !== 'error')) return made;
  run.findings.fault(fault);
  return 'bad_answer';
}

const METHOD_NOT_FOUND = -32601;

function judgeCall({ findings }: Run, session: PluginSession, call: PlannedCall, exchange: Exchange): Made {
  const { tool, answers } = call;
  const answer = judge(findings, session, exchange, answers);
  if (answer === null)
    return exchange.kind === 'timeout' || exchange.kind === 'stdin_closed' ? 'unread' : 'no_answer';
  if (answer.kind === 'error' && answer.code === METHOD_NOT_FOUND) {
    const expected = 'tools/call to be known for a tool that is listed';
    findings.fault({ clause: 'wire.call.answers', expected, seen: `the error ${answer.code}` });
    return 'bad_answer';
  }
  findings.pass(answers);
  if (answer.kind === 'error') return 'error';
  const faults = resultFaults(answer.result, tool, answer.bytes);
  for (const fault of faults) findings.fault(fault);
  if (faults.length > 0) return 'bad_answer';
  findings.pass(...SHOWN_BY_A_RESULT);
  if (tool.output !== undefined) findings.pass('wire.call.output-schema');
  return 'result';
}

function paramsOf({ tool, arguments: args }: PlannedCall): JsonObject {
  return { name: tool.name, arguments: args };
}
