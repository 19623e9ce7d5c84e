import { argumentsDigest, type DigestKey } from '../arguments-digest.ts';
import type { BindingBook } from '../bindings/binding-book.ts';
import type { Ending } from '../invocation/ending.ts';
import type { ReadTask, TaskSubject, ToolTask } from '../invocation/tool-task.ts';
import type { Principal } from '../principal.ts';
import { addressOf } from '../runner-answers/runner-access.ts';
import type { RunnerPort } from '../runner-port.ts';
import type { Settler } from '../settling/settler.ts';
import { actionForms } from './action.ts';
import { callTool } from './call.ts';
import { describe } from './describe.ts';
import { type PluginToolInput, readPluginToolInput } from './input.ts';
import { list } from './list.ts';
import { check, reload } from './manage.ts';
import { outcome } from './outcome.ts';
import { pluginObstacle, pluginWords } from './task-words.ts';

/** What the actions of `plugin_tool` work with. */
export type PluginToolParts = {
  readonly runners: RunnerPort;
  readonly bindings: BindingBook;
  readonly settler: Pick<Settler, 'report'>;
  readonly digestKey: DigestKey;
};

const USAGE =
  'Give action one of list, check, reload, describe, call or outcome, and the members that it takes.';

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
  const subject = subjectOf(parts, input);
  return {
    action,
    scope,
    subject,
    summary,
    ...(mayHaveHappened === undefined ? {} : { mayHaveHappened }),
    words: () => pluginWords(parts.bindings, input, subject),
    obstacle: (principal) => pluginObstacle(parts.runners, parts.bindings, input, principal),
    run: (principal, call) => run(parts, input, { principal, call, instanceId: subject.runnerInstance }),
  };
}

function subjectOf(parts: PluginToolParts, input: PluginToolInput): TaskSubject {
  switch (input.action) {
    case 'outcome':
      return { bindingPresent: false };
    case 'list':
    case 'describe': {
      const { action: _action, ...names } = input;
      return { bindingPresent: false, ...names };
    }
    case 'check':
    case 'reload': {
      const { action: _action, ...names } = input;
      return { bindingPresent: false, ...names, ...addressOf(parts.runners, input.runner) };
    }
    case 'call': {
      const observed = parts.bindings.resolve(input.binding);
      if (observed === undefined) return { bindingPresent: true };
      const { runner, runnerInstance, plugin, tool, target } = observed;
      const digest = argumentsDigest(parts.digestKey, target, input.canonicalArguments);
      return { bindingPresent: true, runner, runnerInstance, plugin, tool, argumentsDigest: digest };
    }
  }
}

type Run = {
  readonly principal: Principal;
  readonly call: string;
  readonly instanceId: string | undefined;
};

async function run(
  { runners, bindings, settler }: PluginToolParts,
  input: PluginToolInput,
  { principal, call, instanceId }: Run,
): Promise<Ending> {
  switch (input.action) {
    case 'list':
      return await list(runners, principal, input, call);
    case 'describe':
      return await describe(runners, bindings, principal, input, call);
    case 'call':
      return await callTool(runners, bindings, principal, input, call);
    case 'check':
      return await check(runners, principal, input, instanceId, call);
    case 'reload':
      return await reload(runners, principal, input, instanceId, call);
    case 'outcome':
      return await outcome(settler, principal, input);
  }
}
