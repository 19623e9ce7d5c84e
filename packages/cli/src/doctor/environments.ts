import type { EnvironmentAnswer, ExecutableAnswer } from '@fairlead/process';
import { type Finding, ill, well } from './finding.ts';

/** One plugin of `runner.toml`, its environment prepared as the Runner does it, and its command looked up in that. */
export type PreparedPlugin = {
  readonly plugin: string;
  readonly command: string;
  /** The profile that it gets, or null. */
  readonly profile: string | null;
  readonly environment: EnvironmentAnswer;
  /** Null where there was no environment to look in. */
  readonly executable: ExecutableAnswer | null;
};

/** Whether every init script works, and every plugin's command is found in the PATH that comes out of it. */
export function checkEnvironments(plugins: readonly PreparedPlugin[]): Finding[] {
  const told = new Set<string | null>();
  return plugins.flatMap(({ plugin, command, profile, environment, executable }) => {
    if (!environment.ok) {
      // One script that fails stands behind all the plugins that share it.
      if (told.has(profile)) return [];
      told.add(profile);
      const check = profile === null ? 'environment' : `init_script of ${profile}`;
      const reason = environment.localDetail;
      return [ill('fail', { check, what: `it fails: ${reason}`, code: environment.code })];
    }
    const check = `command of ${plugin}`;
    if (executable?.ok === true) {
      const { path } = executable;
      return [well(check, path === command ? `it is ${path}` : `${command} is ${path}`)];
    }
    return [
      ill('fail', {
        check,
        what: `${command} is not found in the PATH that the plugin gets`,
        code: executable?.code ?? 'plugin_executable_unavailable',
        next: 'Name the program by its full path, put its folder into path_prepend of [shell], or let an init_script of a profile find it.',
      }),
    ];
  });
}
