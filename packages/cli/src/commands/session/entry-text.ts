import { isJsonObject, type JsonObject } from '@fairlead/base';
import { safeLine, safeText } from '../../output/safe-text.ts';
import { timeText } from '../../output/time-text.ts';

/** One entry of a session for people: who and when, then what was said, or in one line what happened. */
export function entryText(entry: JsonObject): string {
  const { type, at } = entry;
  const head = `${typeof at === 'number' ? timeText(at) : ''}  ${speaker(entry)}`;
  const said = typeof entry['text'] === 'string' ? entry['text'] : '';
  switch (type) {
    case 'message':
    case 'directive':
      return `${head}\n${indented(said)}`;
    case 'summary':
      return `${head}  summary of what stands before\n${indented(said)}`;
    case 'tool_call':
      return `${head}  calls ${safeLine(entry['tool'])} ${safeLine(entry['arguments'])}\n`;
    case 'tool_result':
      return `${head}  ${safeLine(entry['certainty'])}${code(entry)}\n${indented(said)}`;
    case 'tool_settled':
      return `${head}  learnt of ${safeLine(entry['call'])}: ${safeLine(entry['certainty'])}${code(entry)}\n`;
    case 'approval_request':
      return `${head}  asks for ${safeLine(entry['tool'])} (${safeLine(entry['approval'])})\n`;
    case 'approval_decision':
      return `${head}  ${safeLine(entry['decision'])} by ${safeLine(entry['by'])}\n`;
    case 'error':
      return `${head}  ${safeLine(said)}${code(entry)}\n`;
    case 'ack':
      return `${head}  begins ${safeLine(entry['turn'])} with ${safeLine(entry['model'])}\n`;
    case 'turn_end':
      return `${head}  turn ${safeLine(entry['status'])}${code(entry)}\n`;
    default:
      return `${head}  ${safeLine(entry['of'] ?? type)}\n`;
  }
}

function speaker({ from }: JsonObject): string {
  if (!isJsonObject(from ?? null)) return 'somebody';
  const { kind, id, name } = from as JsonObject;
  return typeof name === 'string' ? safeLine(name) : `${safeLine(kind)} ${safeLine(id)}`.trim();
}

function code(entry: JsonObject): string {
  return typeof entry['code'] === 'string' ? ` (${safeLine(entry['code'])})` : '';
}

function indented(text: string): string {
  if (text === '') return '';
  return `${safeText(text.replace(/\n+$/, ''))
    .split('\n')
    .map((line) => `  ${line}`.trimEnd())
    .join('\n')}\n`;
}
