import { type Certainty, ExtensionError } from '../errors.ts';
import type { JsonObject } from '../json/json.ts';

/**
 * Thrown by a tool that knows what became of its effect: `not_started` nothing happened, `completed` it ended (as a failure that
 * this message tells), `outcome_unknown` it may have happened. Any other throw of a tool with `effect: 'write'` leaves its outcome
 * unknown. Its word counts in the host's thread and in a worker, whose code the operator trusts; a sandbox has none.
 *
 * `detail` is plain JSON of less than 64 KiB for programs; anything else is left out. A text under `partial` is what there was of an
 * answer, and is shown behind the message: it stays also where the call was aborted and the code says so.
 */
export class ToolFault extends ExtensionError {
  declare readonly certainty: Certainty;

  constructor(
    certainty: Certainty,
    message: string,
    options: { code?: string; cause?: unknown; detail?: JsonObject } = {},
  ) {
    super(options.code ?? 'tool_failed', message, { ...options, certainty });
    this.name = 'ToolFault';
  }
}

const CERTAINTIES: ReadonlySet<unknown> = new Set<Certainty>(['not_started', 'completed', 'outcome_unknown']);

/** Whether a tool threw a {@link ToolFault}, of this copy of the package or another one. */
export function isToolFault(value: unknown): value is ToolFault {
  return (
    value instanceof Error &&
    value.name === 'ToolFault' &&
    'certainty' in value &&
    CERTAINTIES.has(value.certainty) &&
    'code' in value &&
    typeof value.code === 'string'
  );
}
