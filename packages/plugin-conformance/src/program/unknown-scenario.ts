import { nearestKey } from '@fairlead/base';
import { hostileScenarios } from '../hostile/scenarios.ts';

/** What is said of a name that no scenario has. `list`: the command that lists them. */
export function unknownScenario(name: string, list: string): string {
  const near = nearestKey(
    name,
    hostileScenarios.map((scenario) => scenario.name),
  );
  const hint = near === undefined ? '' : ` Did you mean ${near}?`;
  return `No scenario is called ${name}.${hint} \`${list}\` shows them all.`;
}
