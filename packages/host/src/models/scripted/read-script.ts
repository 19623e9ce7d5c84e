import { isJsonObject, type Json, type JsonObject, nearestKey, parseJson } from '@fairlead/base';
import { scriptLimits } from '../../limits.ts';
import type { ModelUsage } from '../model.ts';
import { readReference, referencesIn } from './reference.ts';
import type { Script, ScriptCall, ScriptExpectation, ScriptFault, ScriptStep, ScriptTurn } from './script.ts';

export type ScriptReading =
  | { readonly ok: true; readonly script: Script }
  /** `pointer` is the JSON pointer of the place, empty where it is the whole file. */
  | { readonly ok: false; readonly pointer: string; readonly problem: string };

const FORMAT = 'fairlead-script-v1';

/** Reads a script from the bytes of its file, held to `scriptLimits`. A member that is not known refuses it: a script is a test. */
export function readScript(bytes: Uint8Array): ScriptReading {
  const parsed = parseJson(bytes, scriptLimits.json);
  if (!parsed.ok)
    return { ok: false, pointer: '', problem: `is not JSON within its bounds (${parsed.fault})` };
  try {
    return { ok: true, script: scriptAt(parsed.value) };
  } catch (thrown) {
    if (thrown instanceof Refused) return { ok: false, pointer: thrown.pointer, problem: thrown.message };
    throw thrown;
  }
}

class Refused extends Error {
  readonly pointer: string;

  constructor(pointer: string, problem: string) {
    super(problem);
    this.pointer = pointer;
  }
}

function scriptAt(value: Json): Script {
  const { format, scripts } = objectAt(value, '', ['format', 'scripts']);
  if (format !== FORMAT) throw new Refused('/format', `must be "${FORMAT}"`);
  if (!isJsonObject(scripts)) throw new Refused('/scripts', 'must be an object of scripts');
  const read = new Map<string, readonly ScriptTurn[]>();
  for (const [name, turns] of Object.entries(scripts)) {
    const at = `/scripts/${escaped(name)}`;
    if (name !== 'default' && !/^(agent|worker):./.test(name))
      throw new Refused(at, 'must be called default, agent:NAME or worker:NAME');
    read.set(name, listAt(turns, at, turnAt));
  }
  if (!read.has('default')) throw new Refused('/scripts', 'must have a script called default');
  return { scripts: read };
}

function turnAt(value: Json, at: string): ScriptTurn {
  const { when, steps } = objectAt(value, at, ['when', 'steps']);
  const named = new Set<string>();
  const read = listAt(steps, `${at}/steps`, (step, place) => stepAt(step, place, named));
  if (read.length === 0) throw new Refused(`${at}/steps`, 'must have a step');
  return { ...(when === undefined ? {} : { when: textAt(when, `${at}/when`) }), steps: read };
}

function stepAt(value: Json, at: string, named: Set<string>): ScriptStep {
  const step = objectAt(value, at, ['text', 'calls', 'expect', 'faults', 'usage', 'chunk', 'delay_ms']);
  const { text, expect, usage, chunk, delay_ms: delayMs = 0 } = step;
  const calls = listAt(step['calls'] ?? [], `${at}/calls`, (call, place) => callAt(call, place, named));
  calls.forEach(({ as }, index) => {
    if (as === undefined) return;
    if (named.has(as)) throw new Refused(`${at}/calls/${index}/as`, 'must be a name of its own in this turn');
    named.add(as);
  });
  return {
    ...(text === undefined ? {} : { text: textAt(text, `${at}/text`) }),
    calls,
    ...(expect === undefined ? {} : { expect: expectationAt(expect, `${at}/expect`) }),
    faults: listAt(step['faults'] ?? [], `${at}/faults`, faultAt),
    ...(usage === undefined ? {} : { usage: usageAt(usage, `${at}/usage`) }),
    ...(chunk === undefined ? {} : { chunk: wholeAt(chunk, `${at}/chunk`, 1, scriptLimits.json.maxBytes) }),
    delayMs: wholeAt(delayMs, `${at}/delay_ms`, 0, scriptLimits.delayMs),
  };
}

function callAt(value: Json, at: string, named: ReadonlySet<string>): ScriptCall {
  const { as, tool, arguments: given = {} } = objectAt(value, at, ['as', 'tool', 'arguments']);
  const name = textAt(tool, `${at}/tool`);
  if (!isJsonObject(given)) throw new Refused(`${at}/arguments`, 'must be an object');
  for (const { pointer, value: reference } of referencesIn(given)) {
    const place = `${at}/arguments${pointer}`;
    const read = readReference(reference);
    if (read === null)
      throw new Refused(place, 'must be {"$from": a name, "pointer": a JSON pointer} and nothing else');
    if (!named.has(read.from))
      throw new Refused(`${place}/$from`, 'must name a call of an earlier step of this turn');
  }
  return { ...(as === undefined ? {} : { as: textAt(as, `${at}/as`) }), tool: name, arguments: given };
}

function expectationAt(value: Json, at: string): ScriptExpectation {
  const { tools = [], absent = [], last } = objectAt(value, at, ['tools', 'absent', 'last']);
  return {
    tools: listAt(tools, `${at}/tools`, textAt),
    absent: listAt(absent, `${at}/absent`, textAt),
    ...(last === undefined ? {} : { last: textAt(last, `${at}/last`) }),
  };
}

function faultAt(value: Json, at: string): ScriptFault {
  if (value === 'cut' || value === 'garbage' || value === 'hang') return { kind: value };
  if (!isJsonObject(value)) throw new Refused(at, 'must be {"status": …}, "cut", "garbage" or "hang"');
  const { status, after_secs: afterSecs } = objectAt(value, at, ['status', 'after_secs']);
  const read = wholeAt(status, `${at}/status`, 300, 599);
  if (afterSecs === undefined) return { kind: 'status', status: read };
  if (typeof afterSecs !== 'number' || afterSecs < 0 || afterSecs > 86_400)
    throw new Refused(`${at}/after_secs`, 'must be seconds, 0 to 86400');
  return { kind: 'status', status: read, afterMs: Math.round(afterSecs * 1000) };
}

function usageAt(value: Json, at: string): ModelUsage {
  const read = objectAt(value, at, ['input', 'output', 'cached', 'written', 'reasoning']);
  const count = (name: string) => wholeAt(read[name] ?? 0, `${at}/${name}`, 0, 1_000_000_000);
  const usage = {
    input: count('input'),
    output: count('output'),
    cached: count('cached'),
    written: count('written'),
    reasoning: count('reasoning'),
  };
  if (usage.cached + usage.written > usage.input)
    throw new Refused(at, 'must not have more cached and written than input');
  if (usage.reasoning > usage.output) throw new Refused(at, 'must not have more reasoning than output');
  return usage;
}

function objectAt(value: Json | undefined, at: string, known: readonly string[]): JsonObject {
  if (!isJsonObject(value)) throw new Refused(at, 'must be an object');
  for (const key of Object.keys(value)) {
    if (known.includes(key)) continue;
    const nearest = nearestKey(key, known);
    throw new Refused(
      `${at}/${escaped(key)}`,
      nearest === undefined ? 'is not known' : `is not known (did you mean ${nearest}?)`,
    );
  }
  return value;
}

function listAt<T>(value: Json | undefined, at: string, read: (item: Json, at: string) => T): readonly T[] {
  if (!Array.isArray(value)) throw new Refused(at, 'must be a list');
  return value.map((item: Json, index) => read(item, `${at}/${index}`));
}

function textAt(value: Json | undefined, at: string): string {
  if (typeof value !== 'string') throw new Refused(at, 'must be text');
  return value;
}

function wholeAt(value: Json | undefined, at: string, min: number, max: number): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < min || value > max)
    throw new Refused(at, `must be a whole number, ${min} to ${max}`);
  return value;
}

function escaped(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}
