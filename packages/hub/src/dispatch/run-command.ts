import { type Fault, failed, isJsonObject, type Json } from '@fairlead/base';
import {
  budgets,
  type CallOutcome,
  carryCall,
  commandName,
  extensionErrors,
  hasValue,
  parseCommandLine,
} from '@fairlead/extension/runtime';
import { hubErrors } from '../errors.ts';
import { type LiveSet, LiveSetLease } from '../live/live-set.ts';
import type { LiveSnapshot } from '../live/live-snapshot.ts';
import type { OwnedCommand } from '../live/live-tool.ts';
import { eitherSignal } from './either-signal.ts';
import { absence, refusalOf } from './refusal.ts';

/** What a command answers: text for people, data for programs. */
interface CommandAnswer {
  readonly text: string;
  readonly data?: Json;
}

export type CommandOutcome =
  | { readonly certainty: 'completed'; readonly value: CommandAnswer }
  | { readonly certainty: CallOutcome<unknown>['certainty']; readonly fault: Fault };

export interface CommandRequest {
  /** As it was typed, with or without a slash. */
  readonly line: string;
  readonly signal?: AbortSignal;
  readonly onProgress?: (text: string) => void;
}

/**
 * Runs a command line of an extension, from the session's own set: an agent's opt-outs hide no command. Never rejects. A name that nobody has
 * is `unknown_command`; one whose owner is off or cannot run says whose it is and what to do. A line that does not fit is
 * `command_usage`, with the usage line as `detail.usage`.
 */
export async function runCommand(set: LiveSet, request: CommandRequest): Promise<CommandOutcome> {
  const snapshot = LiveSetLease.snapshotOf(set);
  const { session } = snapshot.person;
  if (session === undefined || session.isClosing)
    return failed('not_started', 'session_not_open', hubErrors.session_not_open.message);
  const { name, rest } = commandName(request.line);
  const command = snapshot.commands.get(name);
  if (command === undefined) return failed('not_started', 'unknown_command', unknownText(snapshot, name));
  const parsed =
    command.args === undefined
      ? { ok: false as const, message: 'its arguments cannot be read', usage: `/${name}` }
      : parseCommandLine({ name, args: command.args }, rest);
  if (!parsed.ok) return failed('not_started', 'command_usage', parsed.message, { usage: parsed.usage });
  session.enter();
  try {
    return await run(snapshot, command, parsed.args, {
      ...request,
      signal: eitherSignal(request.signal, session.signal),
    });
  } finally {
    session.leave();
  }
}

async function run(
  { person }: LiveSnapshot,
  { name, instance, prepared }: OwnedCommand,
  input: Json,
  { signal, onProgress }: CommandRequest,
): Promise<CommandOutcome> {
  const { engine } = person;
  const cell = person.cell(prepared);
  const wait = person.refresh(cell);
  if (wait !== undefined) await wait;
  const refusal = refusalOf(instance, cell.fault);
  if (refusal !== undefined) return failed('not_started', refusal.code, refusal.message);
  const budgetMs = budgets.commandMs;
  const context = cell.begin({ deadlineMs: engine.clock.monotonicMs() + budgetMs, onProgress });
  const outcome = await carryCall(
    instance.extension.carrier,
    { call: engine.nextCall(), instance: instance.id, endpoint: 'command', name, input, context },
    { wheel: engine.wheel, budgetMs, timeoutCode: 'command_timeout', signal },
  );
  return hasValue(outcome) ? { certainty: 'completed', value: answerOf(outcome.value) } : outcome;
}

/** The guest runtime answers in this form; what does not is from a worker without it. */
function answerOf(value: Json): CommandAnswer {
  if (!isJsonObject(value) || typeof value['text'] !== 'string') return { text: '' };
  const { text, data } = value;
  return data === undefined ? { text } : { text, data };
}

function unknownText(snapshot: LiveSnapshot, name: string): string {
  const owner = snapshot
    .absent()
    .find(
      ({ manifest, why }) =>
        why !== 'opted_out' && manifest.commands.some((command) => command.name === name),
    );
  return owner === undefined
    ? `${extensionErrors.unknown_command.message} (/${name})`
    : `/${name} belongs to ${absence(owner)}`;
}
