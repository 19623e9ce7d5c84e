import type { CommandHint } from '../output/command-hint.ts';
import { type Finding, ill, well } from './finding.ts';

/** One plugin of a Runner, as far as it is known from here. */
export type SeenPlugin = {
  readonly plugin: string;
  readonly status: string;
  readonly errorCode: string | null;
};

/** One Runner that should be there. */
export type SeenRunner = {
  readonly runner: string;
  /** It has a folder on this machine, so its plugins' stderr can be read here. */
  readonly isLocal: boolean;
  /** `linked`: the gateway has it; `running`: it runs here and is not linked; `absent`: it does not run, or not where it is seen. */
  readonly state: 'linked' | 'running' | 'absent';
  /** The host of this directory owns it, so that it can only be missing by a fault. */
  readonly isOwned: boolean;
  readonly plugins: readonly SeenPlugin[];
};

/** Which Runners are offline, and which of their plugins have failed. */
export function checkRunners(runners: readonly SeenRunner[], hint: CommandHint): Finding[] {
  if (runners.length === 0) return [well('runners', 'no Runner is known here yet')];
  return runners.flatMap((runner) => [runnerFinding(runner, hint), ...pluginFindings(runner, hint)]);
}

function runnerFinding({ runner, state, isOwned, isLocal }: SeenRunner, hint: CommandHint): Finding {
  const { command, stateFlag } = hint;
  const check = `runner ${runner}`;
  const code = 'runner_offline';
  switch (state) {
    case 'linked':
      return well(check, 'it is linked to its gateway');
    case 'running':
      return ill('fail', {
        check,
        what: 'it runs on this machine and is not linked to its gateway',
        code,
        next: `See why it cannot reach it: \`${command} logs${stateFlag} --runner ${runner}\`; check server_url, the token, and what stands in between.`,
      });
    case 'absent':
      return ill(isOwned ? 'fail' : 'warn', {
        check,
        what: isLocal ? 'it does not run on this machine' : 'it is not connected',
        code,
        next: isOwned
          ? 'Restart the host.'
          : `Start it on its machine: \`fairlead runner run\`; or revoke its token, which stands in \`${command} token list${stateFlag}\`, if it is gone for good.`,
      });
  }
}

function pluginFindings({ runner, isLocal, plugins }: SeenRunner, hint: CommandHint): Finding[] {
  const { command, stateFlag } = hint;
  return plugins.map(({ plugin, status, errorCode }) => {
    const check = `plugin ${plugin} on ${runner}`;
    if (errorCode === null) return well(check, `it is ${status}`);
    const place = isLocal ? '' : ', on the machine of the Runner';
    return ill('fail', {
      check,
      what: 'it has failed',
      code: errorCode,
      next: `What it wrote: \`${command} runner stderr${stateFlag} --runner ${runner} ${plugin}\`${place}.`,
    });
  });
}
