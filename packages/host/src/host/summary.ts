import { ENTRIES_TABLE } from '@fairlead/hub';
import type { RecordId, Row } from '@fairlead/store';
import type { Compacted } from '../commands/ports.ts';
import { systemText } from '../context/system-text.ts';
import { TurnContext } from '../context/turn-context.ts';
import type { Speaker } from '../entries/entry.ts';
import { entriesBackwards } from '../entries/entry-log.ts';
import { fitText } from '../entries/fit-result.ts';
import { readEntry } from '../entries/read-entry.ts';
import { entryValue } from '../entries/write-entry.ts';
import { hostError } from '../errors.ts';
import { entryLimits, summaryLimits } from '../limits.ts';
import { runStep } from '../models/step/run-step.ts';
import type { SessionFloor } from '../sessions/session-floor.ts';
import { speakerOf } from '../sessions/turns.ts';
import { pendingWakes } from '../sessions/wakes.ts';
import type { TurnFloor } from '../turn/turn-floor.ts';
import { ceilingError } from '../usage/ceiling-words.ts';

const ACK = 'SELECT ack FROM turns WHERE turn = ? LIMIT 1';

/** As which worker a model is asked for a summary: a script may answer it apart. */
const SUMMARIZER = 'compact';

const ASK = [
  'Sum up the conversation so far for yourself: what was asked, what was found out and done, what was decided, what is still open.',
  'Keep names, paths, numbers and quotations that matter. Write only the summary; it takes the place of everything above.',
].join(' ');

/** Writes a summary that a turn made of what stands before it. Rejects with `nothing_to_compact` where nothing does. */
export async function summarizeBefore(
  floor: TurnFloor,
  {
    session,
    turn,
    by,
    summary,
  }: { readonly session: string; readonly turn: string; readonly by: Speaker; readonly summary: string },
): Promise<void> {
  const [row] = await floor.store.read<{ ack: RecordId }>(ACK, [turn]);
  const upto = row === undefined ? undefined : await lastAnswered(floor, session, row.ack);
  if (upto === undefined) throw hostError('nothing_to_compact');
  await write(floor, session, { by, summary: keptOf(floor, summary), upto, turn });
}

/**
 * The last entry before a turn that no waiting one stands before, and no call without an end: a turn has not read what waits or comes, so no
 * summary of it stands for that.
 */
async function lastAnswered(floor: TurnFloor, session: string, ack: RecordId): Promise<RecordId | undefined> {
  const waiting = new Set((await pendingWakes(floor.store, session)).map(({ entry }) => entry));
  const open = await openBehind(floor, session, ack);
  const table = (await floor.sessions.open(session)).table(ENTRIES_TABLE);
  const { rows } = await table.tail(entryLimits.page, ack);
  const isOpen = ({ id, value }: Row) => {
    const entry = readEntry(id, value);
    return waiting.has(id) || (entry?.type === 'tool_call' && open.has(entry.call));
  };
  return rows[rows.findLastIndex(isOpen) + 1]?.id;
}

/** Calls whose result stands behind an entry, or is still to come: a result is read by nobody whose call a summary stands for. */
async function openBehind(
  { sessions, journal }: TurnFloor,
  session: string,
  entry: RecordId,
): Promise<ReadonlySet<string>> {
  const open = new Set(await journal.openCalls(session));
  // Asked first: what has ended since stands behind that entry.
  for await (const { id, value } of (await sessions.open(session)).table(ENTRIES_TABLE).scan(entry)) {
    const behind = readEntry(id, value);
    if (behind?.type === 'tool_result') open.add(behind.call);
  }
  return open;
}

/**
 * Asks the model of a session's host agent to sum up what stands there, and writes that. It costs what it costs, in the session. Rejects with
 * `nothing_to_compact`, `agent_required`, `ceiling_reached`, `model_unknown`, or the fault of the model.
 */
export async function summarize(
  floor: TurnFloor,
  {
    session,
    turn,
    signal,
  }: { readonly session: string; readonly turn: string; readonly signal: AbortSignal },
): Promise<Compacted> {
  const { sessions, agents, models, peer, clock, random, gate, ledger } = floor;
  const database = await sessions.open(session);
  const meta = await sessions.meta(session);
  const agent = meta.agents.find(({ id }) => id === meta.host);
  if (agent === undefined) throw hostError('agent_required');
  const { upto, entries, summaries } = await since(floor, session);
  const { config } = await agents.config(agent.id);
  const model = models.resolve(meta.models.get(agent.id) ?? meta.model ?? config.model);
  await model.load();
  const context = new TurnContext({ database, peerId: peer.peerId, agent, asked: [] });
  const { maxContextTokens } = config;
  const request = await context.assemble({
    model,
    ...(maxContextTokens === undefined ? {} : { maxContextTokens }),
    ...{ system: [systemText(config)], tools: [], steps: [{ role: 'user', text: ASK }] },
  });
  const outcome = await runStep({
    model: model.model,
    request: { messages: request.messages, tools: [], maxTokens: request.maxTokens },
    meta: { session, agent: agent.name, worker: SUMMARIZER, turn: summaries, step: 0 },
    ...{ maxRetries: model.maxRetries, signal, clock, random, gate, estimatedInput: request.estimatedInput },
    ledger: ledger.attempts({ turn, root: turn, session, agent: agent.id }, model),
    emit: () => {},
  });
  if (!outcome.ok) throw 'ceiling' in outcome ? ceilingError(outcome.ceiling) : outcome.fault;
  const summary = keptOf(floor, outcome.reply.text.trim());
  if (summary === '') throw hostError('nothing_to_compact');
  await write(floor, session, { by: speakerOf(agent), summary, upto });
  return { summary, upto, entries };
}

/** What a model wrote, as it may be kept. */
function keptOf({ leaks }: TurnFloor, summary: string): string {
  return fitText(leaks.text(summary).value);
}

/** What stands there since the last summary, up to the first call without an end: entries that a model would read. */
async function since(
  floor: TurnFloor,
  session: string,
): Promise<{ readonly upto: RecordId; readonly entries: number; readonly summaries: number }> {
  let open: ReadonlySet<string> | undefined;
  let upto: RecordId | undefined;
  let entries = 0;
  let summaries = 0;
  for await (const entry of entriesBackwards(await floor.sessions.open(session))) {
    open ??= await openBehind(floor, session, entry.id);
    if (entry.type === 'tool_call' && open.has(entry.call)) {
      upto = undefined;
      entries = 0;
      continue;
    }
    upto ??= entry.id;
    if (entry.type === 'summary') summaries += 1;
    else if (summaries === 0 && READ.has(entry.type)) entries += 1;
  }
  if (upto === undefined || entries < summaryLimits.entries) throw hostError('nothing_to_compact');
  return { upto, entries, summaries };
}

const READ: ReadonlySet<string> = new Set(['message', 'directive', 'tool_result']);

async function write(
  { sessions, clock }: SessionFloor,
  session: string,
  {
    by,
    summary,
    upto,
    turn,
  }: { readonly by: Speaker; readonly summary: string; readonly upto: RecordId; readonly turn?: string },
): Promise<void> {
  const body = { type: 'summary', text: summary, upto, ...(turn === undefined ? {} : { turn }) } as const;
  await (await sessions.open(session)).table(ENTRIES_TABLE).append(entryValue(body, by, clock));
}
