import { isJsonObject, type JsonObject, type Timer } from '@fairlead/base';
import type { CommandContext } from '../../command-context.ts';
import { outputLimits } from '../../limits.ts';
import { safeLine } from '../../output/safe-text.ts';

/** Tells on stderr what a turn does, a line for each thing that a person may want to know of. */
export class RunProgress {
  readonly #context: Pick<CommandContext, 'stderr' | 'clock'>;
  /** The tool of each call that began. */
  readonly #tools = new Map<string, string>();
  /** Calls whose end was told. */
  readonly #ended = new Set<string>();
  #waiting: Timer | undefined;
  /** The turns whose end was heard, and who waits for one. */
  readonly #over = new Set<string>();
  #overHeard: (() => void) | undefined;
  #last = '';

  constructor(context: Pick<CommandContext, 'stderr' | 'clock'>) {
    this.#context = context;
  }

  /** An event of the session: its name in a stream, and its members. What is of no interest is passed over. */
  hear(event: string, data: JsonObject): void {
    if (event === 'state') this.#state(data);
    else if (event === 'step_reset') this.#say('the model’s answer broke off');
    else if (event === 'progress') this.#say(safeLine(data['text']));
    else if (event === 'entry')
      this.#entry(isJsonObject(data['entry'] ?? null) ? (data['entry'] as JsonObject) : data);
  }

  /** Resolves when the end of a turn was heard, or after a moment: its answer may come before what it did is told. */
  async heardEnd(turn: string): Promise<void> {
    this.#waiting?.cancel();
    if (this.#over.has(turn)) return;
    await new Promise<void>((resolve) => {
      const timer = this.#context.clock.setTimer(outputLimits.lastWordsMs, resolve);
      this.#overHeard = () => {
        if (!this.#over.has(turn)) return;
        timer.cancel();
        resolve();
      };
    });
  }

  /** The turn has ended, with these calls: entries come after what they tell of, and may not have come yet. */
  end(calls: readonly JsonObject[]): void {
    this.#waiting?.cancel();
    for (const call of calls) this.#result(call);
  }

  /** What lasts longer than a second is said. */
  #state({ state, tool }: JsonObject): void {
    this.#waiting?.cancel();
    const line =
      state === 'queued'
        ? 'waiting for the turn before it …'
        : state === 'model'
          ? 'waiting for the model …'
          : `waiting for ${safeLine(tool)} …`;
    this.#waiting = this.#context.clock.setTimer(outputLimits.quietMs, () => this.#say(line), {
      unref: true,
    });
  }

  #entry(entry: JsonObject): void {
    const { type, call } = entry;
    if (type === 'message' && entry['final'] === false) this.#say(safeLine(entry['text']));
    if (type === 'tool_call' && typeof call === 'string') {
      const tool = safeLine(entry['tool']);
      this.#tools.set(call, tool);
      this.#say(`calls ${tool}`);
    }
    if (type === 'tool_result') this.#result(entry);
    if (type === 'turn_end' && typeof entry['turn'] === 'string') {
      this.#over.add(entry['turn']);
      this.#overHeard?.();
    }
  }

  /** Once for each call; `tool` where it is not known by its beginning. */
  #result({ call, tool, certainty, code, ms }: JsonObject): void {
    if (typeof call !== 'string' || this.#ended.has(call)) return;
    this.#ended.add(call);
    const name = this.#tools.get(call) ?? (typeof tool === 'string' ? safeLine(tool) : 'a call');
    const why = typeof code === 'string' ? ` (${safeLine(code)})` : '';
    const took = typeof ms === 'number' ? ` in ${Math.round(ms)} ms` : '';
    this.#say(`${name}: ${safeLine(certainty)}${why}${took}`);
  }

  /** The same thing twice in a row is said once. */
  #say(line: string): void {
    if (line === '' || line === this.#last) return;
    this.#last = line;
    this.#context.stderr(`fairlead: ${line}\n`);
  }
}
