import { catalogScenarios } from './catalog-scenarios.ts';
import { lineScenarios } from './line-scenarios.ts';
import { mannersScenarios } from './manners-scenarios.ts';
import { processScenarios } from './process-scenarios.ts';
import { resultScenarios } from './result-scenarios.ts';
import type { Scenario } from './scenario.ts';
import { startScenarios } from './start-scenarios.ts';

/** Every scenario of the hostile plugin, in the order in which they are listed. */
export const hostileScenarios: readonly Scenario[] = Object.freeze([
  ...mannersScenarios,
  ...startScenarios,
  ...catalogScenarios,
  ...lineScenarios,
  ...resultScenarios,
  ...processScenarios,
]);

/** The scenario of this name. */
export function scenarioOf(name: string): Scenario | undefined {
  return hostileScenarios.find((scenario) => scenario.name === name);
}
