import { isJsonObject, type Json, type JsonObject } from '@fairlead/base';
import { objectsIn } from '../../output/safe-text.ts';
import { jsonWords, type Question, word } from './block.ts';

/** The open approvals that the host’s `/approvals` lists, as questions. What is no row of it is left out. */
export function questionsOf(data: Json | undefined): Question[] {
  const rows = isJsonObject(data ?? null) ? objectsIn((data as JsonObject)['approvals']) : objectsIn(data);
  return rows.flatMap((row) => (typeof row['id'] === 'string' ? [questionOf(row, row['id'])] : []));
}

function questionOf(row: JsonObject, id: string): Question {
  const shown = isJsonObject(row['shown'] ?? null) ? (row['shown'] as JsonObject) : {};
  const { arguments: given = {}, extension, agent, speaker, workspace, grants, effect } = shown;
  const fact = (label: string, text: string): (readonly [string, string])[] =>
    text === '' ? [] : [[label, text]];
  const name = isJsonObject(agent ?? null) ? word((agent as JsonObject)['name']) : '';
  const changed = Array.isArray(shown['rewritten_by']) ? shown['rewritten_by'].map(word).join(', ') : '';
  const decisions = Array.isArray(row['decisions']) ? row['decisions'].map(word) : ['approve', 'deny'];
  return {
    id,
    tool: word(row['tool']),
    extension: word(extension),
    risk: [word(row['risk']), word(effect)].filter((each) => each !== '').join(', '),
    facts: [
      ...fact('for', [name, word(speaker)].filter((each) => each !== '').join(', ')),
      ...fact('folder', word(workspace)),
      ...fact('may touch', jsonWords(grants)),
      ...fact('changed by', changed),
      ...fact('ran before', jsonWords(shown['ran_before'])),
    ],
    arguments: typeof given === 'string' ? given : JSON.stringify(given, null, 2),
    decisions,
    untilMs: typeof row['untilMs'] === 'number' ? row['untilMs'] : 0,
  };
}
