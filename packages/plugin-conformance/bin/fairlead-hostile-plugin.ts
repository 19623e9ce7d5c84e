#!/usr/bin/env node
// A plugin that breaks the wire on purpose. HOSTILE_RECORD names the record where the argument does not. What plays a scenario
// imports nothing but Node and this package.
import { playScenario } from '../src/hostile/machine-stage.ts';
import { scenarioListJson, scenarioListText } from '../src/hostile/scenario-list.ts';
import { scenarioOf } from '../src/hostile/scenarios.ts';

const USAGE = `usage: fairlead-hostile-plugin [SCENARIO [RECORD]]
       fairlead-hostile-plugin --list [--json]

Is a plugin that breaks one rule of the wire, on its own stdin and stdout; without SCENARIO, one that breaks none.
With RECORD it writes what it reads to that file and its process numbers to RECORD.pids, and does not end with its stdin.
Exit status: 2 where there is no such scenario; else as the scenario says, 0 when its stdin has ended
`;

const [name = 'well-behaved', record = process.env['HOSTILE_RECORD']] = process.argv.slice(2);
const scenario = scenarioOf(name);
if (scenario !== undefined) playScenario(scenario, record ?? null);
else if (name === '--list') {
  process.stdout.write(
    record === '--json'
      ? `${JSON.stringify(scenarioListJson())}\n`
      : scenarioListText(Number.POSITIVE_INFINITY),
  );
} else if (name === '--help' || name === '-h') process.stdout.write(USAGE);
else {
  const { unknownScenario } = await import('../src/program/unknown-scenario.ts');
  process.stderr.write(`${unknownScenario(name, 'fairlead-hostile-plugin --list')}\n`);
  process.exitCode = 2;
}
