import { type Clock, systemClock, systemRandom } from '@fairlead/base';
import { type Runner, type RunnerLog, startRunner } from '@fairlead/runner';
import { benchEnvironment } from './environment.ts';

/** Starts a real Runner in this process, linked to whatever listens at `gatewayUrl`. */
export function startBenchRunner(options: {
  readonly configPath: string;
  readonly stateDirectory: string;
  readonly gatewayUrl: string;
  readonly token?: string;
  readonly clock?: Clock;
  readonly log?: RunnerLog;
}): Promise<Runner> {
  return startRunner({
    runnerId: 'bench',
    token: `fairlead_runner_${'A'.repeat(43)}`,
    env: benchEnvironment(),
    platform: process.platform,
    clock: systemClock(),
    random: systemRandom(),
    log: () => {},
    ...options,
  });
}
