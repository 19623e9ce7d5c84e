import type { DefinedTool } from '../authoring/definition.ts';
import type { Contributions, ToolContribution } from '../carrier/carrier.ts';
import { FIRED_HOOKS, HOOK_MEMBERS } from '../contracts/hook-kinds.ts';
import { thrownText } from '../contracts/text.ts';
import { deepFreeze } from '../json/deep-freeze.ts';
import { isJsonObject, jsonEqual } from '../json/json.ts';
import { budgets, manifestLimits, outputLimits } from '../limits.ts';
import type { Manifest } from '../manifest/manifest.ts';
import { isToolName } from '../manifest/names.ts';
import { compileSchema } from '../schema/compile-schema.ts';
import type { JsonSchema } from '../schema/json-schema.ts';
import type { Instance, LearntTool } from './instance.ts';

/**
 * What an instance contributes: what its part declares, and what `moreTools` gives at this moment. One that was overtaken by another that
 * was asked for later answers what that one said, so that whoever is answered last knows the tools that are called.
 */
export async function contributionsOf(instance: Instance): Promise<Contributions> {
  const { part, around, request } = instance;
  const { manifest } = around;
  const declared = <E extends { readonly scope: string }>(entries: readonly E[]) =>
    entries.filter(({ scope }) => scope === request.kind);
  const tools = declared(manifest.tools).map(({ name, about, args }) =>
    toolContribution(name, about, args, part.tools?.[name] ?? {}, false),
  );
  instance.readings += 1;
  const reading = instance.readings;
  const given = await runtimeTools(instance, tools, manifest);
  if (instance.shown !== undefined && instance.shown.reading > reading) return instance.shown.contributions;
  const learnt = new Map<string, LearntTool>();
  for (const [name, tool] of given) {
    const { about, args, foreign, ...policy } = tool;
    const plain = toolContribution(name, about, args as unknown as JsonSchema, policy, true);
    const contribution = foreign === undefined ? numbered(instance, plain) : { ...plain, foreign };
    learnt.set(name, { tool, contribution });
    tools.push(contribution);
  }
  instance.runtimeTools = learnt;
  const gates = part.on?.['toolCall'] === undefined ? undefined : part.gates;
  const contributions: Contributions = deepFreeze({
    tools,
    commands: declared(manifest.commands).map(({ name, about, args }) => ({ name, about, args })),
    hooks: FIRED_HOOKS.filter((kind) => part.on?.[HOOK_MEMBERS[kind]] !== undefined),
    ...(gates === undefined ? {} : { gates: [...gates] }),
    prompt: part.prompt !== undefined,
    tail: part.tail !== undefined,
    status: part.status !== undefined,
    caps: Object.values(part.provides ?? {}).map(({ cap }) => ({
      kind: cap.kind,
      methods: [...cap.methods],
    })),
    routines: Object.entries(part.routines ?? {}).map(([id, { about, cron, everyMs }]) => ({
      id,
      about,
      ...(cron === undefined ? {} : { cron }),
      ...(everyMs === undefined ? {} : { every_ms: everyMs }),
    })),
    uses: Object.entries(around.uses).map(([alias, { kind, provider, isOptional }]) => ({
      alias,
      kind,
      ...(provider === undefined ? {} : { provider }),
      optional: isOptional,
    })),
  });
  instance.shown = { reading, contributions };
  return contributions;
}

type Policy = Pick<DefinedTool, 'risk' | 'approval' | 'timeoutMs' | 'perMinute' | 'sensitive' | 'effect'>;

function toolContribution(
  name: string,
  about: string,
  args: JsonSchema,
  policy: Policy,
  runtime: boolean,
): ToolContribution {
  const {
    risk = 'low',
    approval = 'never',
    timeoutMs = budgets.toolMs,
    perMinute,
    sensitive = [],
    effect = 'write',
  } = policy;
  return {
    name,
    about,
    args,
    risk,
    approval,
    timeout_ms: timeoutMs,
    ...(perMinute === undefined ? {} : { per_minute: perMinute }),
    sensitive: [...sensitive],
    effect,
    runtime,
  };
}

/** A tool that is as its name last had it keeps its revision, also where a list lacked it; another one has one that no tool of the instance had. */
function numbered(instance: Instance, tool: ToolContribution): ToolContribution {
  const { numbered: known } = instance;
  const before = known.get(tool.name);
  const same = before !== undefined && jsonEqual({ ...tool, revision: before.revision }, before);
  if (!same) instance.revisions += 1;
  const now = same ? before : { ...tool, revision: instance.revisions };
  known.delete(tool.name);
  known.set(tool.name, now);
  for (const name of known.keys()) {
    if (known.size <= MAX_NUMBERED) break;
    known.delete(name);
  }
  return now;
}

/** So many names of one instance keep the number of their tool; a tool that is forgotten is another one when it comes again. */
const MAX_NUMBERED = 4 * manifestLimits.maxTools;

/** The tools of `moreTools` that can be offered; what is wrong with the others is logged, and ends nothing. */
async function runtimeTools(
  { part, around, state }: Instance,
  declared: readonly ToolContribution[],
  manifest: Manifest,
): Promise<ReadonlyMap<string, DefinedTool>> {
  const tools = new Map<string, DefinedTool>();
  if (part.moreTools === undefined) return tools;
  const { log } = around;
  let given: unknown;
  try {
    given = await part.moreTools(state);
  } catch (thrown) {
    log.warn(`moreTools failed: ${thrownText(thrown, outputLimits.maxFaultMessage)}`);
    return tools;
  }
  if (!Array.isArray(given)) {
    log.warn('moreTools returned something that is no list');
    return tools;
  }
  const taken = new Set(declared.map(({ name }) => name));
  const room = manifestLimits.maxTools - new Set(manifest.tools.map(({ name }) => name)).size;
  for (const tool of given as readonly unknown[]) {
    const fault = faultOf(tool, taken, tools.size >= room);
    if (fault !== null) {
      log.warn(`a tool of moreTools was left out: ${fault}`);
      continue;
    }
    const checked = tool as DefinedTool & { readonly name: string };
    const compiled = compileSchema(checked.args);
    if (!compiled.ok) continue;
    taken.add(checked.name);
    const { about, risk, approval, timeoutMs, perMinute, sensitive, effect, foreign } = checked;
    tools.set(checked.name, {
      ...defined({ risk, approval, timeoutMs, perMinute, sensitive, effect, foreign }),
      about,
      args: compiled.schema.json as never,
      // It may be a method of what `moreTools` made.
      run: (input, ctx, shown) => checked.run(input, ctx, shown),
    });
  }
  return tools;
}

function faultOf(tool: unknown, taken: ReadonlySet<string>, full: boolean): string | null {
  if (!isJsonObject(tool)) return 'it is no object';
  const { name, about, run, args } = tool as Readonly<Record<string, unknown>>;
  if (typeof name !== 'string' || !isToolName(name)) return 'its name does not fit the pattern of tool names';
  if (taken.has(name)) return `${name} stands twice`;
  if (full) return `${name}: an extension has ${manifestLimits.maxTools} tools at most`;
  if (typeof about !== 'string' || about.trim() === '' || about.length > manifestLimits.maxAbout)
    return `${name}: about must be 1 to ${manifestLimits.maxAbout} characters`;
  if (typeof run !== 'function') return `${name}: run is no function`;
  const compiled = compileSchema(args);
  if (!compiled.ok) return `${name}: args${compiled.fault.path} ${compiled.fault.message}`;
  if (compiled.schema.node.type !== 'object') return `${name}: args must be a schema of an object`;
  return policyFault(name, tool as Policy);
}

/** What is wrong with a tool's own policy, or null. */
export function policyFault(name: string, policy: Policy): string | null {
  const { risk, approval, timeoutMs, perMinute, effect, sensitive } = policy;
  const among = (value: string | undefined, words: readonly string[]) =>
    value === undefined || words.includes(value);
  if (!among(risk, ['low', 'medium', 'high'])) return `${name}: risk must be low, medium or high`;
  if (!among(approval, ['never', 'unless_auto_approved', 'always']))
    return `${name}: approval must be never, unless_auto_approved or always`;
  if (!among(effect, ['read', 'records', 'write'])) return `${name}: effect must be read, records or write`;
  if (timeoutMs !== undefined && !(timeoutMs >= budgets.toolMinMs && timeoutMs <= budgets.toolMaxMs))
    return `${name}: timeoutMs must be ${budgets.toolMinMs} to ${budgets.toolMaxMs}`;
  if (perMinute !== undefined && !(Number.isInteger(perMinute) && perMinute >= 0))
    return `${name}: perMinute must be an integer of 0 or more`;
  if (
    sensitive !== undefined &&
    !(Array.isArray(sensitive) && sensitive.every((key) => typeof key === 'string'))
  )
    return `${name}: sensitive must be a list of argument names`;
  return null;
}

function defined<T extends object>(members: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };
}
