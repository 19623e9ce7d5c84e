import { systemClock, systemRandom } from '@fairlead/base';
import { type Runner, startRunner } from '@fairlead/runner';
import { benchEnvironment } from './environment.ts';

/** Starts a real Runner in this process, linked to whatever listens at `gatewayUrl`. */
export function startBenchRunner(options: {
  readonly configPath: string;
  readonly stateDirectory: string;
  readonly gatewayUrl: string;
}): Promise<Runner> {
  return startRunner({
    ...options,
    runnerId: 'bench',
    token: `fairlead_runner_${'A'.repeat(43)}`,
    env: benchEnvironment(),
    platform: process.platform,
    clock: systemClock(),
    random: systemRandom(),
    log: () => {},
  });
}
