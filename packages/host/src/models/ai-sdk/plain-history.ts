import { encodeJson } from '@fairlead/base';
import type { Message } from '../model.ts';
import { toolText } from '../tool-text.ts';

/**
 * The same conversation with its calls and results as words, for a request that offers no tools: a forced summary, or a model that takes none.
 * Some back ends refuse a history with calls in it then.
 */
export function plainHistory(messages: readonly Message[]): readonly Message[] {
  const names = new Map<string, string>();
  return messages.map((message): Message => {
    if (message.role === 'tool') {
      const verb = message.error === true ? 'failed' : 'answered';
      return { role: 'user', text: `[${names.get(message.call) ?? 'a tool'} ${verb}]\n${toolText(message)}` };
    }
    if (message.role !== 'assistant' || message.calls === undefined) return message;
    const lines = message.calls.map((call) => {
      names.set(call.id, call.name);
      return `[calls ${call.name} with ${encodeJson(call.arguments)}]`;
    });
    return { role: 'assistant', text: [message.text, ...lines].filter((line) => line !== '').join('\n') };
  });
}
