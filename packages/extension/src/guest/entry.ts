import type { DefinedCommand, DefinedTool } from '../authoring/definition.ts';
import { isToolFault, type ToolFault } from '../authoring/tool-fault.ts';
import type { CallRequest } from '../carrier/carrier.ts';
import { HOOK_MEMBERS } from '../contracts/hook-kinds.ts';
import { thrownText } from '../contracts/text.ts';
import { readToolOutput } from '../contracts/tool-output.ts';
import {
  type Certainty,
  type ExtensionError,
  type ExtensionErrorCode,
  extensionError,
  ExtensionError as Fault,
} from '../errors.ts';
import { deepFreeze } from '../json/deep-freeze.ts';
import { faultDetail } from '../json/fault-detail.ts';
import type { Json } from '../json/json.ts';
import { plainJson } from '../json/plain-json.ts';
import { outputLimits } from '../limits.ts';
import { faultText } from '../schema/schema-fault.ts';
import { faultOfStandard, isStandardSchema, type StandardResult } from '../schema/standard-schema.ts';
import type { Instance } from './instance.ts';
import { isThenable } from './thenable.ts';

/** One endpoint of one instance, looked up: how its handler is entered, and what becomes of its answer. */
export interface Entry {
  /** Enters the handler. `alive` is asked again where something is awaited first. */
  enter(input: Json, ctx: unknown, alive: () => boolean): unknown;
  /** What the handler returned, as frozen plain JSON. */
  answer(raw: unknown): Json;
  /** What the handler threw, as an error with a code and, where it is known, a certainty. */
  failure(thrown: unknown): ExtensionError;
}

/** Looks the endpoint of a request up; one that does not exist was never started. */
export function entryOf(instance: Instance, request: CallRequest): Entry {
  const { part } = instance;
  const { endpoint, name, method } = request;
  switch (endpoint) {
    case 'tool': {
      const tool = own(part.tools, name) ?? learntTool(instance, request);
      if (tool === undefined) throw missing('tool_not_found', name);
      return toolEntry(tool);
    }
    case 'command': {
      const command = own(part.commands, name);
      if (command === undefined) throw missing('unknown_command', name);
      return commandEntry(command);
    }
    case 'cap': {
      const provision = Object.values(part.provides ?? {}).find(({ cap }) => cap.kind === name);
      const run = provision === undefined ? undefined : own(provision.impl, method ?? '');
      if (run === undefined) throw missing('cap_unavailable', `${name}.${method ?? ''}`);
      return plainEntry(run, 'cap_failed');
    }
    case 'routine': {
      const routine = own(part.routines, name);
      if (routine === undefined) throw missing('routine_no_handler', name);
      return { ...plainEntry(routine.run, 'routine_failed'), answer: () => null };
    }
    default: {
      const handler = hookHandler(instance, endpoint === 'hook' ? name : endpoint);
      return plainEntry(
        handler,
        endpoint === 'hook' && name === 'tool_call' ? 'verdict_invalid' : 'hook_failed',
      );
    }
  }
}

/** The handler of a hook, a prompt, a tail or a status; one that does nothing where the part has none. */
export function hookHandler({ part }: Instance, kind: string): (input: Json, ctx: unknown) => unknown {
  if (kind === 'status') {
    const { status } = part;
    return status === undefined ? nothing : (_input, ctx) => status(ctx);
  }
  if (kind === 'prompt' || kind === 'tail') return part[kind] ?? nothing;
  const member = own(HOOK_MEMBERS, kind);
  return (member === undefined ? undefined : part.on?.[member]) ?? nothing;
}

function nothing(): undefined {
  return undefined;
}

function own<T>(members: Readonly<Record<string, T>> | undefined, name: string): T | undefined {
  return members !== undefined && Object.hasOwn(members, name) ? members[name] : undefined;
}

/** A tool of `moreTools`. One that took the place of what the caller was shown is not run instead of it. */
function learntTool(
  { runtimeTools }: Instance,
  { name, target, revision }: CallRequest,
): DefinedTool | undefined {
  const learnt = runtimeTools.get(name);
  if (learnt === undefined) return undefined;
  const { tool, contribution } = learnt;
  // Whether its program still has what was shown is known where that is called.
  if (target !== undefined && contribution.foreign !== undefined)
    return { ...tool, run: (input, ctx) => tool.run(input, ctx, target) };
  if (target === undefined && (revision === undefined || revision === contribution.revision)) return tool;
  throw missing('tool_not_found', `${name} is another tool than the one that was looked at`);
}

function missing(code: ExtensionErrorCode, name: string): ExtensionError {
  return extensionError(code, name, { certainty: 'not_started' });
}

function toolEntry(tool: DefinedTool): Entry {
  return {
    enter: (input, ctx, alive) => enterWith(tool, input, ctx, alive),
    answer(raw) {
      const read = readToolOutput(raw);
      if (!read.ok) throw extensionError('tool_output_invalid', read.message, { certainty: 'completed' });
      return read.output as unknown as Json;
    },
    failure(thrown) {
      if (isNotStarted(thrown)) return thrown;
      if (isToolFault(thrown)) return faultOf(thrown);
      return extensionError('tool_failed', thrownText(thrown, outputLimits.maxFaultMessage), {
        certainty: certaintyOfThrow(tool.effect),
        cause: thrown,
      });
    },
  };
}

/** A fault whose thrower knows how it ended, and says so. */
function faultOf(thrown: ToolFault): Fault {
  const message = thrownText(thrown, outputLimits.maxFaultMessage);
  const detail = faultDetail(thrown.detail);
  const known = { certainty: thrown.certainty, cause: thrown };
  return new Fault(thrown.code, message, detail === undefined ? known : { ...known, detail });
}

/** What a throw says about the effect: a tool that may have touched something is not known to have left it alone. */
function certaintyOfThrow(effect: DefinedTool['effect']): Certainty {
  return effect === 'read' || effect === 'records' ? 'completed' : 'outcome_unknown';
}

function commandEntry(command: DefinedCommand): Entry {
  return {
    enter: (input, ctx, alive) => enterWith(command, input, ctx, alive),
    answer(raw) {
      const read = readToolOutput(raw);
      if (!read.ok)
        throw extensionError('command_failed', `its answer: ${read.message}`, { certainty: 'completed' });
      const { text, data } = read.output;
      return Object.freeze(data === undefined ? { text } : { text, data });
    },
    failure(thrown) {
      if (isNotStarted(thrown)) return thrown;
      return isToolFault(thrown) ? faultOf(thrown) : failureOf(thrown, 'command_failed');
    },
  };
}

function plainEntry(run: (input: Json, ctx: unknown) => unknown, code: ExtensionErrorCode): Entry {
  return {
    enter: (input, ctx) => run(input, ctx),
    answer(raw) {
      if (raw === undefined) return null;
      const plain = plainJson(raw);
      if (plain.ok) return plain.value;
      throw extensionError(code, `its answer${plain.path} ${plain.message}`, { certainty: 'completed' });
    },
    failure: (thrown) => failureOf(thrown, code === 'verdict_invalid' ? 'hook_failed' : code),
  };
}

function failureOf(thrown: unknown, code: ExtensionErrorCode): ExtensionError {
  return extensionError(code, thrownText(thrown, outputLimits.maxFaultMessage), {
    certainty: 'outcome_unknown',
    cause: thrown,
  });
}

/** A fault of our own from before the handler was entered. */
function isNotStarted(thrown: unknown): thrown is ExtensionError {
  return thrown instanceof NotEntered;
}

class NotEntered extends Fault {
  constructor(code: ExtensionErrorCode, detail: string) {
    super(code, extensionError(code, detail).message, { certainty: 'not_started' });
  }
}

/** Arguments of another library's schema are parsed by it here, where its code is; ours were parsed by the host. */
function enterWith({ args, run }: DefinedCommand, input: Json, ctx: unknown, alive: () => boolean): unknown {
  if (!isStandardSchema(args)) return run(input, ctx);
  const validated = args['~standard'].validate(input);
  const proceed = (result: StandardResult<unknown>): unknown => {
    if (!alive()) throw new NotEntered('call_cancelled', 'before its handler had begun');
    if (result.issues !== undefined)
      throw new NotEntered('tool_arguments_invalid', faultText(faultOfStandard(result.issues)));
    return run(deepFreeze(result.value), ctx);
  };
  return isThenable(validated) ? validated.then(proceed as (value: unknown) => unknown) : proceed(validated);
}
