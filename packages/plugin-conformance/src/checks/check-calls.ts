import { checkJsonBounds, isJsonObject, type JsonObject, jsonEqual } from '@fairlead/base';
import { type AdmittedTool, argumentsBounds, type FrozenCatalog } from '@fairlead/protocol';
import type { ClauseId } from '../clauses/clauses.ts';
import { runLimits } from '../limits.ts';
import { judge, judgeIdle } from '../plugin/judge.ts';
import type { Exchange, PluginSession } from '../plugin/plugin-session.ts';
import type { CalledTools } from '../report/conformance-report.ts';
import { resultFaults, SHOWN_BY_A_RESULT } from './result-faults.ts';
import { type Run, readySession } from './run.ts';
import { fullArguments, largestArguments, smallestArguments, unicodeArguments } from './sample-arguments.ts';

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
  const badTools = new Set<string>();
  for (const call of planned) {
    // Larger and odder arguments say nothing new about a tool that fails with plain ones.
    if (badTools.has(call.tool.name) && call.answers !== 'wire.call.answers') continue;
    current ??= await readySession(run);
    if (current === null) break;
    const made = await makeCall(run, current, call);
    let isFine = made === 'good' || made === 'bad_result';
    // After the first answer and after the last, what comes unasked is listened for.
    if (isFine && (call === planned[0] || call === planned.at(-1))) {
      await current.listen();
      isFine = judgeIdle(findings, current);
    }
    if (made !== 'good' || !isFine) {
      badTools.add(call.tool.name);
      failed += 1;
    }
    if (!isFine) current = null;
    // Whoever lets one call wait, or reads no more, is not asked again: each question would cost its whole time.
    if (made === 'unread') break;
    if (failed >= runLimits.maxFailedCalls) break;
  }
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

/** `no_answer`: none that is one, and the process is not to be trusted; `unread`: it may not have been read at all. */
type Made = 'good' | 'bad_result' | 'no_answer' | 'unread';

async function makeCall({ findings }: Run, session: PluginSession, call: PlannedCall): Promise<Made> {
  const { tool, answers } = call;
  const exchange = await send(session, call);
  const answer = judge(findings, session, exchange, answers);
  if (answer === null)
    return exchange.kind === 'timeout' || exchange.kind === 'stdin_closed' ? 'unread' : 'no_answer';
  findings.pass(answers);
  if (answer.kind === 'error') return 'good';
  const faults = resultFaults(answer.result, tool, answer.bytes);
  for (const fault of faults) findings.fault(fault);
  if (faults.length > 0) return 'bad_result';
  findings.pass(...SHOWN_BY_A_RESULT);
  if (tool.output !== undefined) findings.pass('wire.call.output-schema');
  return 'good';
}

async function send(session: PluginSession, call: PlannedCall): Promise<Exchange> {
  const params = { name: call.tool.name, arguments: call.arguments };
  if (call.answers !== 'wire.call.utf8-arguments') return session.ask('tools/call', params);
  const request = session.next('tools/call', params);
  // The second byte of a character begins the second piece.
  await session.sendInPieces(request.bytes, [request.bytes.indexOf('é') + 1]);
  return session.answerTo(request.id);
}
