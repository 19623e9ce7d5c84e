import { createHash } from 'node:crypto';
import type { JsonObject } from '@fairlead/base';
import type { BindingBook } from '../bindings/binding-book.ts';
import type { TaskSubject } from '../invocation/tool-task.ts';
import { mayUseRunner, type Principal } from '../principal.ts';
import { connectedRunner, usableRunner } from '../runner-answers/runner-access.ts';
import { runnerInTarget } from '../runner-in-target.ts';
import type { RunnerPort } from '../runner-port.ts';
import type { TaskWords } from '../sessions/session-recorder.ts';
import type { PluginToolInput } from './input.ts';

/** The extension whose tool `plugin_tool` is where sessions are concerned. */
const PLUGINS = 'plugins';

/** What a session and a person are told of an action: the tool that a binding stands for, never the binding. */
export function pluginWords(bindings: BindingBook, input: PluginToolInput, subject: TaskSubject): TaskWords {
  const about = { tool: 'plugin_tool', extension: PLUGINS } as const;
  switch (input.action) {
    case 'call': {
      const { runner = null, plugin = null, tool = null } = subject;
      const given = { action: 'call', runner, plugin, tool, arguments: input.arguments };
      const target = bindings.resolve(input.binding)?.target ?? 'plugin:-';
      return { ...about, tier: 'native', target, arguments: given, risk: 'medium' };
    }
    case 'check':
      return {
        ...about,
        tier: 'native',
        target: managed(`plugin:${runnerInTarget(input.runner)}/${input.plugin}`, subject),
        arguments: { ...input } as JsonObject,
        risk: 'high',
      };
    case 'reload':
      return {
        ...about,
        tier: 'native',
        target: managed(`runner:${runnerInTarget(input.runner)}/plugins`, subject),
        arguments: { ...input } as JsonObject,
        risk: 'high',
      };
    default:
      return {
        ...about,
        tier: 'in_process',
        target: `gateway:plugin_tool/${input.action}`,
        arguments: { ...input } as JsonObject,
        risk: 'low',
      };
  }
}

/** A process of a Runner that is asked to start programs: another one is another target. */
export function managed(name: string, { runnerInstance = '' }: Pick<TaskSubject, 'runnerInstance'>): string {
  return `${name}#${createHash('sha256').update(runnerInstance).digest('base64url').slice(0, 16)}`;
}

/** Why an effect would be refused now, whoever allows it. */
export function pluginObstacle(
  runners: RunnerPort,
  bindings: BindingBook,
  input: PluginToolInput,
  principal: Principal,
): string | undefined {
  if (input.action === 'check' || input.action === 'reload')
    return usableRunner(runners, principal, input.runner) === undefined ? 'runner_unavailable' : undefined;
  if (input.action !== 'call') return undefined;
  const observed = bindings.resolve(input.binding);
  if (observed === undefined || !mayUseRunner(principal, observed.runner)) return 'describe_required';
  const runner = connectedRunner(runners, principal, observed.runner);
  if (runner === undefined) return 'runner_unavailable';
  return runner.instanceId === observed.runnerInstance ? undefined : 'plugin_replaced';
}
