import { isJsonObject, type JsonObject } from '@fairlead/base';
import type { CommandContext } from '../../command-context.ts';
import { safeLine } from '../../output/safe-text.ts';

/** Tells on stderr what a turn does, a line for each thing that a person may want to know of. */
export class RunProgress {
  readonly #context: Pick<CommandContext, 'stderr'>;
  /** The tool of each call that began. */
  readonly #tools = new Map<string, string>();
  #last = '';

  constructor(context: Pick<CommandContext, 'stderr'>) {
    this.#context = context;
  }

  /** An event of the session: its name in a stream, and its members. What is of no interest is passed over. */
  hear(event: string, data: JsonObject): void {
    if (event === 'state') {
      if (data['state'] === 'queued') this.#say('waiting for the turn before it');
      if (data['state'] === 'approval') this.#say(`${safeLine(data['tool'])} waits for an approval`);
    } else if (event === 'step_reset') this.#say('the model’s answer broke off; asking again');
    else if (event === 'progress') this.#say(safeLine(data['text']));
    else if (event === 'entry')
      this.#entry(isJsonObject(data['entry'] ?? null) ? (data['entry'] as JsonObject) : data);
  }

  #entry(entry: JsonObject): void {
    const { type, call } = entry;
    if (type === 'message' && entry['final'] === false) this.#say(safeLine(entry['text']));
    if (typeof call !== 'string') return;
    if (type === 'tool_call') {
      const tool = safeLine(entry['tool']);
      this.#tools.set(call, tool);
      this.#say(`calls ${tool}`);
    }
    if (type === 'tool_result') {
      const code = typeof entry['code'] === 'string' ? ` (${safeLine(entry['code'])})` : '';
      const took = typeof entry['ms'] === 'number' ? ` in ${Math.round(entry['ms'])} ms` : '';
      this.#say(`${this.#tools.get(call) ?? 'a call'}: ${safeLine(entry['certainty'])}${code}${took}`);
    }
  }

  /** The same thing twice in a row is said once. */
  #say(line: string): void {
    if (line === '' || line === this.#last) return;
    this.#last = line;
    this.#context.stderr(`fairlead: ${line}\n`);
  }
}
