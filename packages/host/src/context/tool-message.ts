import type { Certainty, Json } from '@fairlead/base';
import type { ToolResultBody, ToolSettledBody } from '../entries/entry.ts';
import { type ToolMessage, toolWords } from '../models/tool-text.ts';

/** The name of a call as a model API takes it back: a model may ask for what it could not have been offered, and is told so. */
export function callName(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, 64) || '_';
}

/** How a call ended, as its entry says. */
export interface EndedCall {
  /** The id that the assistant's message has for it. */
  readonly call: string;
  readonly tool: string;
  readonly certainty: Certainty;
  readonly text: string;
  readonly structured?: Json;
  readonly isError: boolean;
}

const UNKNOWN =
  '[outcome unknown: this call may have had its effect or not, in whole or in part; look before you repeat it]';

/**
 * The answer to a call as a model reads it: marked as the tool's, and with a note where nobody knows how it ended. The same in its turn and
 * in later ones.
 */
export function toolMessage(end: EndedCall): ToolMessage {
  const { call, tool, certainty, text, structured, isError } = end;
  return {
    role: 'tool',
    call,
    tool,
    text,
    ...(structured === undefined ? {} : { structured }),
    ...(isError || certainty !== 'completed' ? { error: true } : {}),
    ...(certainty === 'outcome_unknown' ? { note: UNKNOWN } : {}),
  };
}

/** The same answer without its words. What the host said of it stays. */
export function leftOut(message: ToolMessage): ToolMessage {
  const { call, error, note } = message;
  return {
    role: 'tool',
    call,
    text: `[result of ${Buffer.byteLength(toolWords(message))} bytes left out]`,
    ...(error === undefined ? {} : { error }),
    ...(note === undefined ? {} : { note }),
  };
}

const LEARNT: Readonly<Record<Exclude<Certainty, 'outcome_unknown'>, string>> = {
  completed: '[learnt later: this call completed]',
  not_started: '[learnt later: this call was not started]',
};

/** The answer to a call of an earlier turn, with what was learnt of it since. */
export function settledMessage(
  tool: string,
  result: ToolResultBody,
  settled: ToolSettledBody | undefined,
): ToolMessage {
  const { call, certainty, text, structured, error } = result;
  const ended = { call, tool, text, ...(structured === undefined ? {} : { structured }) };
  if (settled === undefined || settled.certainty === 'outcome_unknown' || certainty !== 'outcome_unknown')
    return toolMessage({ ...ended, certainty, isError: error });
  const learnt = { ...ended, text: settled.text ?? text, certainty: settled.certainty };
  return {
    ...toolMessage({ ...learnt, isError: settled.code !== undefined }),
    note: LEARNT[settled.certainty],
  };
}
