// The list of the hostile plugin is a promise about Runners: each row is driven through ours, with real processes.
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Clock, systemClock, systemRandom } from '@fairlead/base';
import { hostileScenarios, type Scenario } from '@fairlead/plugin-conformance';
import { processErrors, startWatchdog } from '@fairlead/process';
import { type CheckReport, protocolErrors } from '@fairlead/protocol';
import {
  hygiene,
  type ManualClock,
  manualClock,
  pidIsAlive,
  temporaryFolder,
  waitFor,
} from '@fairlead/testing';
import { compileHostilePlugin, ScenarioRunner } from './hostile-scenarios/scenario-runner.ts';

/** Runners side by side, beside that of the silent starts; each has one scenario at a time. */
const RUNNERS = 3;
/** For what answers: only catches hanging. */
const PATIENT_SECS = 60;

/** It is known to outlive a plugin without isolation: docs/explanation/process-trees.md. */
const ESCAPES = 'double-forks-without-environment';

async function drive(runner: ScenarioRunner, scenario: Scenario): Promise<unknown> {
  const { name, runner: expected, timeoutMs, callArguments = {} } = scenario;
  runner.take(name, PATIENT_SECS);
  if (expected.at === 'start') return await outcomeOfStart(runner, scenario, runner.check());
  if (!(await runner.admit())) return { at: 'not admitted', state: runner.state };
  await runner.observe();
  if (expected.at === 'ready') return { at: runner.state };
  if (expected.at === 'idle') {
    runner.openGate();
    await waitFor(() => runner.state === expected.code, { what: `${name} to be noticed` });
    const call = await runner.call(callArguments);
    await untilGone(runner, scenario);
    return { at: 'idle', call };
  }
  const call = await runner.call(callArguments, timeoutMs);
  if (runner.state !== expected.state)
    await waitFor(() => runner.state === expected.state, { what: `${name} to be ${expected.state}` });
  if (runner.state !== 'ready') await untilGone(runner, scenario);
  return { at: 'call', call, state: runner.state };
}

/** Its start is never answered. */
function isSilentStart({ runner, timeoutMs }: Scenario): boolean {
  return runner.at === 'start' && timeoutMs !== undefined;
}

/** The time for the answer passes once the plugin has read what it is asked, however long that takes it. */
async function driveSilentStart(
  runner: ScenarioRunner,
  scenario: Scenario,
  clock: ManualClock,
): Promise<unknown> {
  const { name, runner: expected, timeoutMs = 0 } = scenario;
  const asked = expected.at === 'start' && expected.phase === 'initialize' ? 'initialize' : 'tools/list';
  runner.take(name, timeoutMs / 1000);
  const report = runner.check();
  await waitFor(() => runner.heard(asked), { what: `${name} to be asked` });
  await clock.advance(timeoutMs);
  return await outcomeOfStart(runner, scenario, report);
}

async function outcomeOfStart(
  runner: ScenarioRunner,
  scenario: Scenario,
  report: Promise<CheckReport>,
): Promise<unknown> {
  const { ready, phase, code, diagnostic } = await report;
  await untilGone(runner, scenario);
  return { at: 'start', ready, phase, code, ...(diagnostic === undefined ? {} : { diagnostic }) };
}

/** Nothing of an ended plugin stays, whatever it ignored. */
async function untilGone(runner: ScenarioRunner, { name }: Scenario): Promise<void> {
  const pids = runner.pids();
  assert.ok(pids.length > 0, `${name} wrote down no process`);
  await waitFor(() => pids.every((pid) => !pidIsAlive(pid)), { what: `the end of ${name}` });
}

function wanted({ runner }: Scenario): unknown {
  switch (runner.at) {
    case 'start':
      return { ...runner, ready: false };
    case 'call':
      return { at: 'call', call: `${runner.certainty} ${runner.code ?? 'result'}`, state: runner.state };
    case 'idle':
      return { at: 'idle', call: `not_started ${runner.code}` };
    case 'ready':
      return { at: 'ready' };
  }
}

test('a Runner answers every scenario of the hostile plugin as its list says, and leaves none of it behind', {
  // Some 180 starts of a process: one test has the time of several.
  timeout: 1_200_000,
}, async (t) => {
  hygiene(t);
  const folder = temporaryFolder(t);
  const compileCache = join(folder, 'compiled');
  compileHostilePlugin(compileCache);
  await using watchdog = startWatchdog({ random: systemRandom() });
  const silent = hostileScenarios.filter(isSilentStart);
  const others = hostileScenarios.filter((each) => each.name !== ESCAPES && !isSilentStart(each));
  const found: Record<string, unknown> = {};
  const started: number[] = [];
  const lane = async (
    name: string,
    waiting: Scenario[],
    clock: Clock,
    play: (runner: ScenarioRunner, scenario: Scenario) => Promise<unknown>,
  ): Promise<void> => {
    const own = join(folder, name);
    mkdirSync(own);
    await using runner = new ScenarioRunner(own, watchdog, compileCache, clock);
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      found[next.name] = await play(runner, next).catch((error: unknown) => String(error));
      started.push(...runner.pids());
    }
  };
  const clock = manualClock();
  await Promise.all([
    lane('silent', silent, clock, (runner, scenario) => driveSilentStart(runner, scenario, clock)),
    ...Array.from({ length: RUNNERS }, (_, index) => lane(String(index), others, systemClock(), drive)),
  ]);
  for (const scenario of hostileScenarios) {
    if (scenario.name !== ESCAPES) assert.deepEqual(found[scenario.name], wanted(scenario), scenario.name);
  }
  await waitFor(() => !started.some(pidIsAlive), { what: 'the end of everything that was started' });
});

// Codes that no plugin can bring about, and who does.
const ELSEWHERE: Readonly<Record<string, readonly string[]>> = {
  'the one who calls': [
    'invalid_plugin_request',
    'stale_plugin_provider',
    'plugin_provider_unavailable',
    'plugin_tool_unavailable',
    'plugin_schema_changed',
    'plugin_arguments_schema_invalid',
    'plugin_provider_busy',
    'plugin_request_invalid',
    'plugin_request_too_large',
    'plugin_call_entombed',
    'plugin_call_repeated',
    'plugin_check_busy',
    'plugin_reload_busy',
  ],
  'the one who configures': [
    'plugin_config_read_failed',
    'plugin_config_parse_failed',
    'plugin_config_invalid',
    'plugin_not_configured',
    'plugin_environment_prepare_failed',
    'plugin_executable_unsupported',
    'plugin_executable_unavailable',
    'plugin_spawn_failed',
    'plugin_isolation_unavailable',
    'plugin_reload_failed',
  ],
  'the machine, or the Runner itself': [
    'plugin_manager_stopping',
    'plugin_stdout_failed',
    'plugin_provider_state_failed',
    'plugin_stdio_unavailable',
    'plugin_reader_unavailable',
    'plugin_writer_unavailable',
    'plugin_check_state_failed',
    'plugin_reload_state_failed',
  ],
  'the link to a gateway': [
    'invalid_plugin_response',
    'invalid_plugin_result',
    'link_frame_too_large',
    'link_frame_malformed',
    'link_frame_invalid',
  ],
};

test('every code that a plugin can bring about has a scenario', () => {
  const brought = new Set(
    hostileScenarios.flatMap(({ runner }) => {
      if (runner.at === 'ready') return [];
      if (runner.at !== 'start') return [runner.code ?? '', runner.at === 'call' ? runner.state : ''];
      return [runner.code, runner.diagnostic?.code ?? ''];
    }),
  );
  const elsewhere = new Set(Object.values(ELSEWHERE).flat());
  const codes = [...Object.keys(protocolErrors), ...Object.keys(processErrors)];
  assert.deepEqual(
    codes.filter((code) => !brought.has(code) && !elsewhere.has(code)),
    [],
  );
  assert.deepEqual(
    codes.filter((code) => brought.has(code) && elsewhere.has(code)),
    [],
  );
});

test('no two scenarios have one name, and each says what it does', () => {
  const names = hostileScenarios.map(({ name }) => name);
  assert.deepEqual(names, [...new Set(names)]);
  for (const { name, does } of hostileScenarios) {
    assert.match(name, /^[a-z0-9]+(-[a-z0-9]+)*$/);
    assert.ok(does.length > 10 && does.length < 120, name);
  }
});
