import { canonicalJson, checkJsonBounds, isJsonObject, type Json, type JsonObject } from '@fairlead/base';
import {
  argumentsBounds,
  catalogLimits,
  isLinkName,
  isOpaqueId,
  isText,
  providerLimits,
} from '@fairlead/protocol';
import { BINDING_PREFIX } from '../bindings/bindings.ts';
import { actionForms, isPluginToolAction, type PluginToolAction, type PluginToolMember } from './action.ts';

/** The parsed input of one invocation. */
export type PluginToolInput =
  | { readonly action: 'list'; readonly runner?: string; readonly plugin?: string }
  | { readonly action: 'check'; readonly runner: string; readonly plugin: string }
  | { readonly action: 'reload'; readonly runner: string }
  | { readonly action: 'describe'; readonly runner: string; readonly plugin: string; readonly tool: string }
  | {
      readonly action: 'call';
      readonly binding: string;
      readonly arguments: JsonObject;
      /** The canonical text of the arguments. */
      readonly canonicalArguments: string;
    }
  | { readonly action: 'outcome'; readonly call: string };

/** Why an input is refused. `detail` names the member and what is wrong with it, never a value or an unknown name. */
type InputFault = {
  readonly code: 'invalid_arguments' | 'invalid_runner';
  readonly action?: PluginToolAction;
  readonly detail: { readonly member?: string; readonly problem: string };
};

type Parsed =
  | { readonly ok: true; readonly input: PluginToolInput }
  | { readonly ok: false; readonly fault: InputFault };

const MEMBERS: ReadonlySet<string> = new Set<PluginToolMember>([
  'runner',
  'plugin',
  'tool',
  'binding',
  'arguments',
  'call',
]);
const CALL_PREFIX = 'call_';
const BREAKS = /[\t\r\n]/;

/** Parses what a caller gave (docs/reference/plugin-tool.md, "Input"). Nothing is coerced, nothing is ignored. */
export function readPluginToolInput(params: Json): Parsed {
  if (!isJsonObject(params)) return refused({ problem: 'not_an_object' });
  const { action } = params;
  if (action === undefined) return refused({ member: 'action', problem: 'missing' });
  if (!isPluginToolAction(action)) return refused({ member: 'action', problem: 'unknown' });
  const { required, optional } = actionForms[action];
  for (const member of Object.keys(params)) {
    if (member === 'action') continue;
    if (!MEMBERS.has(member)) return refused({ problem: 'unknown_member' }, action);
    if (!required.includes(member as PluginToolMember) && !optional.includes(member as PluginToolMember))
      return refused({ member, problem: 'not_allowed' }, action);
  }
  for (const member of required)
    if (params[member] === undefined) return refused({ member, problem: 'missing' }, action);
  if (params['plugin'] !== undefined && params['runner'] === undefined)
    return refused({ member: 'runner', problem: 'missing' }, action);
  if (action === 'call') return readCall(params);
  return action === 'outcome' ? readOutcome(params) : readNames(action, params);
}

function readNames(action: Exclude<PluginToolAction, 'call' | 'outcome'>, params: JsonObject): Parsed {
  const { runner, plugin, tool } = params;
  if (runner !== undefined && typeof runner !== 'string')
    return refused({ member: 'runner', problem: 'not_a_string' }, action);
  if (runner !== undefined && !isLinkName(runner))
    return {
      ok: false,
      fault: { code: 'invalid_runner', action, detail: { member: 'runner', problem: 'invalid' } },
    };
  if (plugin !== undefined && !isName(plugin, providerLimits.idMaxBytes))
    return refused({ member: 'plugin', problem: 'invalid' }, action);
  if (tool !== undefined && !isName(tool, catalogLimits.toolNameMaxBytes))
    return refused({ member: 'tool', problem: 'invalid' }, action);
  return { ok: true, input: params as unknown as PluginToolInput };
}

function readCall(params: JsonObject): Parsed {
  const { binding, arguments: given } = params;
  if (!isHandle(binding, BINDING_PREFIX)) return refused({ member: 'binding', problem: 'invalid' }, 'call');
  if (given === undefined || !isJsonObject(given))
    return refused({ member: 'arguments', problem: 'not_an_object' }, 'call');
  // Shape first, by a size that passes; then the size of the one text that the digest needs anyway.
  const shape = checkJsonBounds(given, argumentsBounds, 0);
  if (shape !== null) return refused({ member: 'arguments', problem: shape }, 'call');
  const canonicalArguments = canonicalJson(given);
  if (exceedsBytes(canonicalArguments, argumentsBounds.maxBytes))
    return refused({ member: 'arguments', problem: 'bytes' }, 'call');
  return { ok: true, input: { action: 'call', binding, arguments: given, canonicalArguments } };
}

function readOutcome({ call }: JsonObject): Parsed {
  if (!isHandle(call, CALL_PREFIX)) return refused({ member: 'call', problem: 'invalid' }, 'outcome');
  return { ok: true, input: { action: 'outcome', call } };
}

function isHandle(value: Json | undefined, prefix: string): value is string {
  return isOpaqueId(value) && value.startsWith(prefix) && value.length > prefix.length;
}

function exceedsBytes(text: string, maxBytes: number): boolean {
  // Three bytes per UTF-16 unit is the most that UTF-8 takes.
  return text.length * 3 > maxBytes && Buffer.byteLength(text) > maxBytes;
}

function isName(value: Json, maxBytes: number): value is string {
  return isText(value, 1, maxBytes) && !BREAKS.test(value);
}

function refused(detail: InputFault['detail'], action?: PluginToolAction): Parsed {
  const fault: InputFault = { code: 'invalid_arguments', detail };
  return { ok: false, fault: action === undefined ? fault : { ...fault, action } };
}
