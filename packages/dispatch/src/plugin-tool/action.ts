import type { Scope } from '../scopes.ts';

/** What `plugin_tool` can be asked to do. */
export type PluginToolAction = 'list' | 'check' | 'reload' | 'describe' | 'call' | 'outcome';

/** The members beside `action`. */
export type PluginToolMember = 'runner' | 'plugin' | 'tool' | 'binding' | 'arguments' | 'call';

/** What each action needs: its scope, and its members. A member that is neither required nor optional is refused. */
export const actionForms: Readonly<
  Record<
    PluginToolAction,
    {
      readonly scope: Scope;
      readonly required: readonly PluginToolMember[];
      readonly optional: readonly PluginToolMember[];
      /** Shown to whoever got the members wrong. */
      readonly usage: string;
      /** Of an action that may change something: what may have happened when its outcome is not known. */
      readonly mayHaveHappened?: string;
      /** One sentence about its output. */
      readonly summary: string;
    }
  >
> = Object.freeze({
  list: {
    scope: 'plugin:inspect',
    required: [],
    optional: ['runner', 'plugin'],
    usage: 'list takes nothing, or runner, or runner and plugin.',
    summary: 'What there is now: Runners, the plugins of one, or the tools of one plugin.',
  },
  check: {
    scope: 'plugin:manage',
    required: ['runner', 'plugin'],
    optional: [],
    usage: 'check takes runner and plugin.',
    mayHaveHappened:
      'The check may still be running; it was not sent again. List the plugins of the Runner, then decide.',
    summary: 'What the check found. The plugins in use are as they were.',
  },
  reload: {
    scope: 'plugin:manage',
    required: ['runner'],
    optional: [],
    usage: 'reload takes runner; it always reloads every plugin of it.',
    mayHaveHappened:
      'The plugins may have been reloaded; nothing was sent again. List the plugins of the Runner to see what is in force.',
    summary: 'The plugins in force now. Where failures are named, nothing was changed.',
  },
  describe: {
    scope: 'plugin:inspect',
    required: ['runner', 'plugin', 'tool'],
    optional: [],
    usage: 'describe takes runner, plugin and tool.',
    summary: 'The whole definition of the tool, and the binding to call it with.',
  },
  call: {
    scope: 'plugin:invoke',
    required: ['binding', 'arguments'],
    optional: [],
    usage:
      'call takes the binding that describe answered, and arguments (an object of at most 65,536 bytes).',
    mayHaveHappened:
      'The call may have run; it was not sent again. Ask for its outcome, or look at what the tool changes, before you call it again.',
    summary: 'The result of the tool.',
  },
  outcome: {
    scope: 'plugin:invoke',
    required: ['call'],
    optional: [],
    usage: 'outcome takes the call that an answer of yours named.',
    summary: 'What is known of the call now.',
  },
});

export function isPluginToolAction(value: unknown): value is PluginToolAction {
  return typeof value === 'string' && Object.hasOwn(actionForms, value);
}
