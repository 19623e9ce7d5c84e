import type { Scope } from '../scopes.ts';

/** What `plugin_tool` can be asked to do. */
export type PluginToolAction = 'list' | 'check' | 'reload' | 'describe' | 'call';

/** The members beside `action`. */
export type PluginToolMember = 'runner' | 'plugin' | 'tool' | 'binding' | 'arguments';

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
    }
  >
> = Object.freeze({
  list: {
    scope: 'plugin:inspect',
    required: [],
    optional: ['runner', 'plugin'],
    usage: 'list takes nothing, or runner, or runner and plugin.',
  },
  check: {
    scope: 'plugin:manage',
    required: ['runner', 'plugin'],
    optional: [],
    usage: 'check takes runner and plugin.',
  },
  reload: {
    scope: 'plugin:manage',
    required: ['runner'],
    optional: [],
    usage: 'reload takes runner; it always reloads every plugin of it.',
  },
  describe: {
    scope: 'plugin:inspect',
    required: ['runner', 'plugin', 'tool'],
    optional: [],
    usage: 'describe takes runner, plugin and tool.',
  },
  call: {
    scope: 'plugin:invoke',
    required: ['binding', 'arguments'],
    optional: [],
    usage:
      'call takes the binding that describe answered, and arguments (an object of at most 65,536 bytes).',
  },
});

export function isPluginToolAction(value: unknown): value is PluginToolAction {
  return typeof value === 'string' && Object.hasOwn(actionForms, value);
}

/** True for actions that may change something: they are decided on, and journalled before and after. */
export function isEffect(action: PluginToolAction): boolean {
  return action !== 'list' && action !== 'describe';
}
