import { isJsonObject, type Json, type JsonObject, parseJson } from '@fairlead/base';
import { type AdmittedTool, type FrozenCatalog, frameBounds, frameLimits } from '@fairlead/protocol';
import type { ClauseId } from '../clauses/clauses.ts';
import { readAnswer } from '../plugin/line-faults.ts';
import type { Exchange, PluginSession } from '../plugin/plugin-session.ts';
import { seenOf } from '../plugin/seen.ts';
import { isReadOnly } from './check-calls.ts';
import { type Run, readySession } from './run.ts';
import { badArguments } from './sample-arguments.ts';

// What no Runner sends, and how the plugin bears it. Each probe leaves a process behind that is in step, or none.

/** True where the process can be asked the next thing. */
type Probe = (run: Run, session: PluginSession) => Promise<boolean>;

/** Sends the plugin what it need not expect, one thing after another, in as few processes as it survives. */
export async function checkManners(run: Run, catalog: FrozenCatalog): Promise<void> {
  let session = await readySession(run);
  const probe = async (ask: Probe): Promise<boolean> => {
    session ??= await readySession(run);
    if (session === null) return false;
    const inStep = await ask(run, session);
    if (!inStep) session = null;
    return inStep;
  };
  if (!(await probe(listAgain)))
    run.findings.skip('the plugin does not answer tools/list again', [
      'wire.manners.joined',
      'wire.manners.notification',
      'wire.manners.malformed-line',
      'wire.manners.largest-line',
    ]);
  else if (!(await probe(joined)))
    run.findings.skip('the plugin does not read two lines in one piece', [
      'wire.manners.notification',
      'wire.manners.malformed-line',
      'wire.manners.largest-line',
    ]);
  else for (const line of [notification, malformedLine, largestLine]) await probe(line);
  await probe(unknownMethod);
  await probe(otherVersion);
  await probe((...given) => unknownTool(...given, catalog));
  await probe((...given) => wrongArguments(...given, catalog));
}

const listAgain: Probe = async ({ findings }, session) => {
  const clause = 'wire.manners.list-again';
  const exchange = await session.ask('tools/list', {});
  const read = exchange.kind === 'line' ? readAnswer(exchange.line, exchange.id) : null;
  if (read?.kind === 'result') findings.pass(clause);
  else findings.fault({ clause, expected: 'its tools, once more', seen: seenOf(exchange) });
  return read?.kind === 'result' && isInStep(session, exchange);
};

const joined: Probe = async ({ findings }, session) => {
  const first = session.next('tools/list', {});
  const second = session.next('tools/list', {});
  session.send(Buffer.concat([first.bytes, second.bytes]));
  const clause = 'wire.manners.joined';
  let exchange = await session.answerTo(second.id);
  const [early] = exchange.noise;
  if (early !== undefined && readAnswer(early, first.id).kind !== 'fault') session.answered.add(first.id);
  // Which of the two is answered first does not matter.
  else if (session.answered.has(second.id)) exchange = await session.answerTo(first.id);
  if (session.answered.has(first.id) && session.answered.has(second.id)) {
    findings.pass(clause);
    return true;
  }
  findings.fault({ clause, expected: 'two answers to two requests in one piece', seen: seenOf(exchange) });
  return false;
};

const notification: Probe = (run, session) =>
  bears(run, session, {
    clause: 'wire.manners.notification',
    line: '{"jsonrpc":"2.0","method":"notifications/none","params":{}}',
    what: 'after a line without an id',
  });

const malformedLine: Probe = (run, session) =>
  bears(run, session, {
    clause: 'wire.manners.malformed-line',
    line: '{"jsonrpc":"2.0","id":',
    what: 'after a line that is no JSON',
  });

const largestLine: Probe = (run, session) => {
  const id = session.takeId();
  const head = `{"jsonrpc":"2.0","id":${id},"method":"tools/list","params":{"filler":"`;
  const line = `${head}${'x'.repeat(frameLimits.maxBytes - head.length - 3)}"}}`;
  return bears(run, session, {
    clause: 'wire.manners.largest-line',
    line,
    what: 'after a line of 1 MiB',
    id,
  });
};

type Borne = {
  readonly clause: ClauseId;
  readonly line: string;
  readonly what: string;
  /** The line's own id, which may be answered. */
  readonly id?: number;
};

/** Sends one line and then an ordinary request, whose answer must come. */
async function bears({ findings }: Run, session: PluginSession, borne: Borne): Promise<boolean> {
  const { clause, line, what, id } = borne;
  session.send(Buffer.from(`${line}\n`));
  const exchange = await session.ask('tools/list', {});
  const isFine =
    session.answered.has(exchange.id) &&
    exchange.noise.length <= 1 &&
    exchange.noise.every((each) => mayComeBetween(each, id));
  if (isFine) findings.pass(clause);
  else findings.fault({ clause, expected: `the answer to the next request ${what}`, seen: seenOf(exchange) });
  return isFine;
}

/** An error without an id, or whatever answers the line itself. */
function mayComeBetween(line: Uint8Array, id: number | undefined): boolean {
  const parsed = parseJson(line, frameBounds);
  if (!parsed.ok || !isJsonObject(parsed.value)) return false;
  const { value } = parsed;
  if (id !== undefined && value['id'] === id) return true;
  return value['id'] === null && Object.hasOwn(value, 'error') && !Object.hasOwn(value, 'result');
}

const UNKNOWN_METHOD = -32601;

const unknownMethod: Probe = async ({ findings }, session) => {
  const clause = 'wire.manners.unknown-method';
  const exchange = await unusual(session, 'fairlead/none', {});
  const read = exchange.kind === 'line' ? readAnswer(exchange.line, exchange.id) : null;
  if (read?.kind === 'error' && read.code === UNKNOWN_METHOD) findings.pass(clause, 'wire.response.error');
  else findings.fault({ clause, expected: `the error ${UNKNOWN_METHOD}`, seen: seenOf(exchange) });
  return isInStep(session, exchange);
};

const otherVersion: Probe = async ({ findings }, session) => {
  const clause = 'wire.manners.other-version';
  const version = 'fairlead-none-v0';
  const exchange = await session.ask('initialize', { protocolVersion: version });
  const read = exchange.kind === 'line' ? readAnswer(exchange.line, exchange.id) : null;
  const claimed = read?.kind === 'result' ? versionOf(read.result) : null;
  if (read !== null && read.kind !== 'fault' && claimed !== version) findings.pass(clause);
  else
    findings.fault({ clause, expected: 'an error, or the version that it speaks', seen: seenOf(exchange) });
  return isInStep(session, exchange);
};

function versionOf(result: Json): Json | undefined {
  return isJsonObject(result) ? result['protocolVersion'] : undefined;
}

async function unknownTool(run: Run, session: PluginSession, { tools }: FrozenCatalog): Promise<boolean> {
  let name = 'fairlead_no_such_tool';
  while (tools.has(name)) name += '_';
  const exchange = await session.ask('tools/call', { name, arguments: {} });
  return fails(run, session, 'wire.manners.unknown-tool', exchange);
}

async function wrongArguments(
  { findings }: Run,
  session: PluginSession,
  { tools }: FrozenCatalog,
): Promise<boolean> {
  const clause = 'wire.manners.bad-arguments';
  for (const tool of [...tools.values()].filter(isReadOnly)) {
    const args = badArguments(tool.definition['inputSchema'] as JsonObject);
    if (args === null || tool.input.matches(args)) continue;
    const exchange = await session.ask('tools/call', paramsOf(tool, args));
    // No Runner sends such a call, so what the answer says is the plugin's own affair.
    if (exchange.kind === 'line' && readAnswer(exchange.line, exchange.id).kind !== 'fault')
      findings.pass(clause);
    else findings.fault({ clause, expected: 'an answer, whatever it says', seen: seenOf(exchange) });
    return isInStep(session, exchange);
  }
  findings.skip('no tool that is annotated readOnlyHint has a schema that an object can break', [clause]);
  return true;
}

function paramsOf({ name }: AdmittedTool, args: JsonObject): JsonObject {
  return { name, arguments: args };
}

/** A failure is an error of JSON-RPC or a result with isError. */
function fails({ findings }: Run, session: PluginSession, clause: ClauseId, exchange: Exchange): boolean {
  const read = exchange.kind === 'line' ? readAnswer(exchange.line, exchange.id) : null;
  const isFailure =
    read?.kind === 'error' ||
    (read?.kind === 'result' && isJsonObject(read.result) && read.result['isError'] === true);
  if (isFailure) findings.pass(clause);
  else
    findings.fault({
      clause,
      expected: 'an error, or a result with isError true',
      seen: seenOf(exchange),
    });
  return isInStep(session, exchange);
}

/** A request whose method the wire does not have. */
function unusual(session: PluginSession, method: string, params: JsonObject): Promise<Exchange> {
  const id = session.takeId();
  session.send(Buffer.from(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`));
  return session.answerTo(id);
}

function isInStep(session: PluginSession, exchange: Exchange): boolean {
  return session.sound && session.answered.has(exchange.id) && exchange.noise.length === 0;
}
