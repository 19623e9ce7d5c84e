import { argumentsDigest, type DigestKey } from '../arguments-digest.ts';
import type { Bindings } from '../bindings.ts';
import type { Ending } from '../invocation/ending.ts';
import type { ReadTask, TaskSubject, ToolTask } from '../invocation/tool-task.ts';
import type { Principal } from '../principal.ts';
import type { RunnerPort } from '../runner-port.ts';
import { actionForms } from './action.ts';
import { callTool } from './call.ts';
import { describe } from './describe.ts';
import { type PluginToolInput, readPluginToolInput } from './input.ts';
import { list } from './list.ts';
import { check, reload } from './manage.ts';

/** What the actions of `plugin_tool` work with. */
export type PluginToolParts = {
  readonly runners: RunnerPort;
  readonly bindings: Bindings;
  readonly digestKey: DigestKey;
};

const USAGE = 'Give action one of list, check, reload, describe or call, and the members that it takes.';

/** Reads what `plugin_tool` is asked for (docs/reference/plugin-tool.md). */
export function pluginTaskReader(parts: PluginToolParts): ReadTask {
  return (params) => {
    const parsed = readPluginToolInput(params);
    if (parsed.ok) return { ok: true, task: taskOf(parts, parsed.input) };
    const { fault } = parsed;
    const usage = fault.action === undefined ? USAGE : actionForms[fault.action].usage;
    return { ok: false, fault: { ...fault, usage } };
  };
}

function taskOf(parts: PluginToolParts, input: PluginToolInput): ToolTask {
  const { action } = input;
  const { scope, summary, mayHaveHappened } = actionForms[action];
  return {
    action,
    scope,
    subject: subjectOf(parts, input),
    summary,
    ...(mayHaveHappened === undefined ? {} : { mayHaveHappened }),
    run: (principal, call) => run(parts, input, principal, call),
  };
}

function subjectOf({ bindings, digestKey }: PluginToolParts, input: PluginToolInput): TaskSubject {
  if (input.action !== 'call') {
    const { action: _action, ...names } = input;
    return { bindingPresent: false, ...names };
  }
  const observed = bindings.resolve(input.binding);
  if (observed === undefined) return { bindingPresent: true };
  const { runner, plugin, tool, target } = observed;
  const digest = argumentsDigest(digestKey, target, input.canonicalArguments);
  return { bindingPresent: true, runner, plugin, tool, argumentsDigest: digest };
}

async function run(
  { runners, bindings }: PluginToolParts,
  input: PluginToolInput,
  principal: Principal,
  call: string,
): Promise<Ending> {
  switch (input.action) {
    case 'list':
      return await list(runners, principal, input, call);
    case 'describe':
      return await describe(runners, bindings, principal, input, call);
    case 'call':
      return await callTool(runners, bindings, principal, input, call);
    case 'check':
      return await check(runners, principal, input, call);
    case 'reload':
      return await reload(runners, principal, input, call);
  }
}
