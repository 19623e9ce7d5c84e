import type { Fault, Json, JsonObject } from '@fairlead/base';
import { commandLineOf } from '../grants/command-words.ts';
import type { Grants } from '../grants/grants.ts';
import { judgePath } from '../grants/in-place.ts';
import type { LinkReader } from '../grants/real-path.ts';
import { allowsCommand } from '../grants/shell-grant.ts';
import { judgeUrl } from '../network/judge-url.ts';
import { refusal } from './refusal-now.ts';
import type { TouchedArguments } from './tool-touches.ts';

/** Where a call touches something, and what is granted there. */
export interface TouchPlace {
  readonly grants: Grants;
  readonly workspace: string;
  readonly links: LinkReader;
}

/** Why what a call would touch is not granted, naming the argument; undefined where all of it is. */
export async function judgeTouches(
  touched: TouchedArguments,
  args: JsonObject,
  place: TouchPlace,
): Promise<Fault | undefined> {
  return (
    (await judgePaths(touched.reads ?? [], 'read', args, place)) ??
    (await judgePaths(touched.writes ?? [], 'write', args, place)) ??
    (await judgeCommand(touched, args, place)) ??
    judgeAddress(touched, args, place.grants) ??
    judgeNeeded(touched, place.grants)
  );
}

async function judgePaths(
  names: readonly string[],
  use: 'read' | 'write',
  args: JsonObject,
  place: TouchPlace,
): Promise<Fault | undefined> {
  for (const name of names)
    for (const path of textsIn(args[name]))
      if (!(await isGranted(path, use, place))) return denied(name, use);
  return undefined;
}

async function isGranted(path: string, use: 'read' | 'write', place: TouchPlace): Promise<boolean> {
  return (await judgePath(place.grants, use, path, place.workspace, place.links)).isGranted;
}

async function judgeCommand(
  { command, folder }: TouchedArguments,
  args: JsonObject,
  place: TouchPlace,
): Promise<Fault | undefined> {
  if (folder !== undefined) {
    const [path = place.workspace] = textsIn(args[folder]);
    if (!(await isGranted(path, 'read', place))) return denied(folder, 'read');
  }
  const given = command === undefined ? undefined : args[command];
  if (command === undefined || given === undefined) return undefined;
  const words = typeof given === 'string' ? wordsIn(given) : textsIn(given);
  return words.length === 0 || allowsCommand(place.grants.shell, words)
    ? undefined
    : denied(command, 'shell');
}

/** None for an empty line: that one is the tool's to refuse. */
function wordsIn(line: string): readonly string[] {
  const read = commandLineOf(line);
  return read.kind === 'empty' ? [] : read.argv;
}

function judgeAddress(
  { url, method }: TouchedArguments,
  args: JsonObject,
  grants: Grants,
): Fault | undefined {
  if (url === undefined) return undefined;
  const [verb = 'GET'] = method === undefined ? [] : textsIn(args[method]);
  for (const address of textsIn(args[url])) {
    const verdict = judgeUrl(address, verb.toUpperCase(), grants.network);
    if (!verdict.ok)
      return refusal(verdict.code, `${url}: ${verdict.reason}`, { argument: url, use: 'network' });
  }
  return undefined;
}

/** What could reach nothing is refused for what the first would be refused for. */
function judgeNeeded({ needsOneOf = [] }: TouchedArguments, { network }: Grants): Fault | undefined {
  const verdicts = needsOneOf.map(({ url, method }) => judgeUrl(url, method, network));
  if (verdicts.some(({ ok }) => ok)) return undefined;
  const [first] = verdicts;
  if (first === undefined || first.ok) return undefined;
  return refusal(first.code, first.reason, { use: 'network' });
}

function textsIn(value: Json | undefined): readonly string[] {
  if (typeof value === 'string') return [value];
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

function denied(argument: string, use: 'read' | 'write' | 'shell'): Fault {
  return refusal('grant_denied', `${argument}: ${use}`, { argument, use });
}
