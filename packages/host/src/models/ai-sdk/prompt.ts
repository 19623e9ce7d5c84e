import type { Message, ModelMetadata, ModelTool } from '../model.ts';
import { toolText } from '../tool-text.ts';
import type { CallOptions, Prompt } from './language-model.ts';

type ProviderOptions = NonNullable<Prompt[number]['providerOptions']>;

/** Where the back end may keep what it has read so far. Back ends that have no such marks do not look at it. */
const KEEP: ProviderOptions = { anthropic: { cacheControl: { type: 'ephemeral' } } };

/**
 * The messages as the AI SDK takes them. Leading system messages become one, later ones a user's; neighbours of one role are joined,
 * and an assistant's message without anything in it is left out: servers differ in what they refuse, and none refuses this.
 */
export function promptOf(messages: readonly Message[]): Prompt {
  const prompt: Prompt = [];
  const system: string[] = [];
  let at = 0;
  for (; messages[at]?.role === 'system'; at += 1) system.push(textOf(messages[at]));
  if (system.length > 0) prompt.push({ role: 'system', content: system.join('\n\n'), providerOptions: KEEP });
  const names = new Map<string, string>();
  for (const message of messages.slice(at)) {
    if (message.role === 'assistant') {
      for (const { id, name } of message.calls ?? []) names.set(id, name);
      const content = assistantContent(message);
      if (content.length > 0) prompt.push({ role: 'assistant', content });
    } else if (message.role === 'tool') {
      const output = {
        type: message.error === true ? 'error-text' : 'text',
        value: toolText(message),
      } as const;
      const toolName = names.get(message.call) ?? 'unknown';
      const part = { type: 'tool-result' as const, toolCallId: message.call, toolName, output };
      const last = prompt.at(-1);
      if (last?.role === 'tool') last.content.push(part);
      else prompt.push({ role: 'tool', content: [part] });
    } else {
      const last = prompt.at(-1);
      const before = last?.role === 'user' ? last.content[0] : undefined;
      if (before?.type === 'text') before.text += `\n\n${message.text}`;
      else prompt.push({ role: 'user', content: [{ type: 'text', text: message.text }] });
    }
  }
  const last = prompt.at(-1);
  if (last !== undefined && last.role !== 'system') last.providerOptions = KEEP;
  return prompt;
}

/** The tools as the AI SDK takes them: declared, never run by it. */
export function toolsOf(tools: readonly ModelTool[]): NonNullable<CallOptions['tools']> {
  return tools.map(({ name, description, schema }) => ({
    type: 'function',
    name,
    description,
    inputSchema: schema,
  }));
}

type AssistantContent = Extract<Prompt[number], { readonly role: 'assistant' }>['content'];

function assistantContent({
  text,
  calls = [],
  reasoning = [],
}: Extract<Message, { readonly role: 'assistant' }>): AssistantContent {
  return [
    ...reasoning.map((thought) => ({
      type: 'reasoning' as const,
      text: thought.text,
      ...optionsOf(thought.metadata),
    })),
    ...(text === '' ? [] : [{ type: 'text' as const, text }]),
    ...calls.map((call) => ({
      type: 'tool-call' as const,
      toolCallId: call.id,
      toolName: call.name,
      input: call.arguments,
      ...optionsOf(call.metadata),
    })),
  ];
}

function optionsOf(metadata: ModelMetadata | undefined): { readonly providerOptions?: ProviderOptions } {
  return metadata === undefined ? {} : { providerOptions: metadata as ProviderOptions };
}

function textOf(message: Message | undefined): string {
  return message?.text ?? '';
}
