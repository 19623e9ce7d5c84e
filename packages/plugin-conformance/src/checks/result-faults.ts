import { checkJsonBounds, hasControlCharacter, isJsonObject, type Json } from '@fairlead/base';
import { type AdmittedTool, checkCallResult, RESULT_MAX_ITEMS, resultBounds } from '@fairlead/protocol';
import type { ClauseFault } from '../clauses/clause-fault.ts';
import type { ClauseId } from '../clauses/clauses.ts';
import { shownBytes, shownValue } from '../plugin/shown.ts';

const MEMBERS: ReadonlySet<string> = new Set(['content', 'structuredContent', 'isError']);

/** The clauses that every good result shows. */
export const SHOWN_BY_A_RESULT: readonly ClauseId[] = [
  'wire.call.result-form',
  'wire.call.content',
  'wire.call.text',
  'wire.call.structured-content',
  'wire.call.is-error',
  'wire.call.result-bounds',
];

/** Every clause that the result of a call breaks (docs/reference/native-plugin-protocol.md §5, §6). */
export function resultFaults(result: Json, tool: AdmittedTool, bytes: number): ClauseFault[] {
  const checked = checkCallResult(result, tool, bytes);
  if (checked.ok) return [];
  const said = (clause: ClauseId, expected: string, seen: string): ClauseFault => ({
    clause,
    expected,
    seen: `${seen} (a Runner says ${checked.code})`,
  });
  if (!isJsonObject(result)) return [said('wire.call.result-form', 'an object', shownValue(result))];
  const faults: ClauseFault[] = [];
  const { content, structuredContent, isError } = result;
  const unknown = Object.keys(result).filter((member) => !MEMBERS.has(member));
  if (unknown.length > 0)
    faults.push(
      said('wire.call.result-form', 'content, structuredContent and isError alone', shownValue(unknown)),
    );
  faults.push(...contentFaults(content, said));
  if (structuredContent !== undefined && !isJsonObject(structuredContent))
    faults.push(said('wire.call.structured-content', 'an object', shownValue(structuredContent)));
  if (isError !== undefined && typeof isError !== 'boolean')
    faults.push(said('wire.call.is-error', 'true, false or nothing', shownValue(isError)));
  const bounds = checkJsonBounds(result, resultBounds, bytes);
  if (bounds !== null)
    faults.push(
      said(
        'wire.call.result-bounds',
        'at most 512 KiB, 16 levels, 4,096 values, names of 1,024 bytes',
        `a result over its bound of ${bounds.replaceAll('_', ' ')}`,
      ),
    );
  const { output } = tool;
  if (output === undefined || (structuredContent !== undefined && !isJsonObject(structuredContent)))
    return faults;
  if (structuredContent === undefined)
    faults.push(
      said('wire.call.output-schema', 'structuredContent, as the tool has an outputSchema', 'none'),
    );
  else if (bounds === null && !output.matches(structuredContent)) {
    const { path, expected } = output.fault(structuredContent) ?? {
      path: '',
      expected: 'as the schema says',
    };
    const place = path === '' ? 'structuredContent' : `structuredContent ${path}`;
    faults.push(said('wire.call.output-schema', `${place} to be ${expected}`, shownValue(structuredContent)));
  }
  return faults;
}

type Say = (clause: ClauseId, expected: string, seen: string) => ClauseFault;

function contentFaults(content: Json | undefined, said: Say): ClauseFault[] {
  if (!Array.isArray(content))
    return [said('wire.call.content', 'an array of texts', `content ${shownValue(content)}`)];
  const items = content as readonly Json[];
  if (items.length > RESULT_MAX_ITEMS)
    return [said('wire.call.content', `at most ${RESULT_MAX_ITEMS} items`, `${items.length} items`)];
  const faults: ClauseFault[] = [];
  for (const item of items) {
    const text = isJsonObject(item) ? item['text'] : undefined;
    if (
      !isJsonObject(item) ||
      item['type'] !== 'text' ||
      typeof text !== 'string' ||
      Object.keys(item).length !== 2
    )
      faults.push(
        said('wire.call.content', '{"type":"text","text":…} and no other member', shownValue(item)),
      );
    else if (hasControlCharacter(text))
      faults.push(
        said('wire.call.text', 'no control character but TAB, LF and CR', shownBytes(Buffer.from(text))),
      );
  }
  return faults;
}
