import type { Json } from '@fairlead/base';
import { admitCatalog, checkInitializeResult, type FrozenCatalog } from '@fairlead/protocol';
import type { ClauseFault } from '../clauses/clause-fault.ts';
import { INITIALIZE } from '../plugin/lab.ts';
import { readAnswer } from '../plugin/line-faults.ts';
import type { Exchange, PluginSession } from '../plugin/plugin-session.ts';
import { seenOf } from '../plugin/seen.ts';
import { shownValue } from '../plugin/shown.ts';

// Whether a Runner would take a process: no start is worth more to it than another.

/** What is wrong with the result of initialize; null where a Runner goes on. */
export function initializeFault(result: Json, bytes: number): ClauseFault | null {
  const code = checkInitializeResult(result, bytes);
  if (code === null) return null;
  const seen = `${shownValue(result)} (a Runner says ${code})`;
  return code === 'plugin_protocol_version_mismatch'
    ? { clause: 'wire.initialize.version', expected: 'protocolVersion webcodex-plugin-v1', seen }
    : { clause: 'wire.initialize.result', expected: 'an object within the bounds of a part', seen };
}

/** True where this answers initialize as a Runner wants it, and nothing came before. */
export function isGreeting(exchange: Exchange): boolean {
  const read = onlyAnswer(exchange);
  return read?.kind === 'result' && checkInitializeResult(read.result, read.bytes) === null;
}

/** The catalog that a Runner takes from this answer to tools/list; null where it takes none. */
export function admittedCatalog(exchange: Exchange): FrozenCatalog | null {
  const read = onlyAnswer(exchange);
  const admission = read?.kind === 'result' ? admitCatalog(read.result) : null;
  return admission?.ok === true ? admission.catalog : null;
}

/** Says initialize and tools/list. Null where a Runner would take the process, else what came instead. */
export async function whyNotAdmitted(session: PluginSession): Promise<string | null> {
  const hello = await session.ask('initialize', INITIALIZE);
  if (!isGreeting(hello)) return seenOf(hello);
  const list = await session.ask('tools/list', {});
  return admittedCatalog(list) === null ? seenOf(list) : null;
}

function onlyAnswer(exchange: Exchange) {
  if (exchange.kind !== 'line' || exchange.noise.length > 0) return null;
  return readAnswer(exchange.line, exchange.id);
}
