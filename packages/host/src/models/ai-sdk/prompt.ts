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
  for (; messages[at]?.role === 'system'; at += 1) system.push(messages[at]?.text ?? '');
  if (system.length > 0) prompt.push({ role: 'system', content: system.join('\n\n'), providerOptions: KEEP });
  const calls = new CallNames();
  for (const message of messages.slice(at)) add(prompt, message, calls);
  const last = prompt.at(-1);
  if (last !== undefined && last.role !== 'system') last.providerOptions = KEEP;
  return prompt;
}

function add(prompt: Prompt, message: Message, calls: CallNames): void {
  const last = prompt.at(-1);
  if (message.role === 'assistant') {
    const content = assistantContent(message, calls);
    if (content.length === 0) return;
    const before = last?.role === 'assistant' ? last.content : undefined;
    if (before === undefined || before.some(({ type }) => type === 'tool-call'))
      prompt.push({ role: 'assistant', content });
    else before.push({ type: 'text', text: '\n\n' }, ...content);
  } else if (message.role === 'tool') {
    const output = {
      type: message.error === true ? 'error-text' : 'text',
      value: toolText(message),
    } as const;
    const part = { type: 'tool-result' as const, ...calls.of(message.call), output };
    if (last?.role === 'tool') last.content.push(part);
    else prompt.push({ role: 'tool', content: [part] });
  } else {
    const before = last?.role === 'user' ? last.content[0] : undefined;
    if (before?.type === 'text') before.text += `\n\n${message.text}`;
    else prompt.push({ role: 'user', content: [{ type: 'text', text: message.text }] });
  }
}

/** The calls of one prompt. Each back end has its own idea of an id, and a history may come from another: here they are plain and differ. */
class CallNames {
  readonly #calls = new Map<string, { readonly toolCallId: string; readonly toolName: string }>();
  readonly #taken = new Set<string>();

  begin(id: string, toolName: string): { readonly toolCallId: string; readonly toolName: string } {
    const plain = id.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, 64) || 'call';
    let toolCallId = plain;
    for (let count = 2; this.#taken.has(toolCallId); count += 1)
      toolCallId = `${plain.slice(0, 56)}_${count}`;
    this.#taken.add(toolCallId);
    const call = { toolCallId, toolName };
    this.#calls.set(id, call);
    return call;
  }

  /** The newest call of an id. */
  of(id: string): { readonly toolCallId: string; readonly toolName: string } {
    return this.#calls.get(id) ?? { toolCallId: id, toolName: 'unknown' };
  }
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

function assistantContent(
  { text, calls = [], reasoning = [] }: Extract<Message, { readonly role: 'assistant' }>,
  names: CallNames,
): AssistantContent {
  return [
    ...reasoning.map((thought) => ({
      type: 'reasoning' as const,
      text: thought.text,
      ...optionsOf(thought.metadata),
    })),
    ...(text === '' ? [] : [{ type: 'text' as const, text }]),
    ...calls.map((call) => ({
      type: 'tool-call' as const,
      ...names.begin(call.id, call.name),
      input: call.arguments,
      ...optionsOf(call.metadata),
    })),
  ];
}

function optionsOf(metadata: ModelMetadata | undefined): { readonly providerOptions?: ProviderOptions } {
  return metadata === undefined ? {} : { providerOptions: metadata as ProviderOptions };
}
