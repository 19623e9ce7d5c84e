#!/usr/bin/env node
// A plugin that breaks the wire on purpose: fairlead-hostile-plugin SCENARIO [RECORD], or --list, or --list --json.
// HOSTILE_RECORD names the record where the argument does not. It imports nothing but Node and this package.
import { playScenario } from '../src/hostile/machine-stage.ts';
import { scenarioListJson, scenarioListText } from '../src/hostile/scenario-list.ts';
import { scenarioOf } from '../src/hostile/scenarios.ts';

const [name = 'well-behaved', record = process.env['HOSTILE_RECORD']] = process.argv.slice(2);
const scenario = scenarioOf(name);
if (name === '--list') {
  process.stdout.write(
    record === '--json'
      ? `${JSON.stringify(scenarioListJson())}\n`
      : scenarioListText(Number.POSITIVE_INFINITY),
  );
} else if (scenario === undefined) {
  process.stderr.write(`no scenario of the name ${name}\n`);
  process.exitCode = 2;
} else playScenario(scenario, record ?? null);
