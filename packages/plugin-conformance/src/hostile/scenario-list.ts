import type { RunnerAnswer, Scenario } from './scenario.ts';
import { hostileScenarios } from './scenarios.ts';

/** One scenario as `--list --json` says it. */
type ScenarioRow = Pick<Scenario, 'does' | 'runner' | 'clause' | 'timeoutMs'> & { readonly scenario: string };

/** The scenarios as JSON: name, what the plugin does, what a Runner must answer, and the clause that the kit finds broken. */
export function scenarioListJson(): { readonly scenarios: readonly ScenarioRow[] } {
  return { scenarios: hostileScenarios.map(rowOf) };
}

function rowOf({ name, does, clause, runner, timeoutMs }: Scenario): ScenarioRow {
  return {
    scenario: name,
    does,
    runner,
    clause,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  };
}

/** What a Runner must answer, on one line. */
export function runnerAnswerText(runner: RunnerAnswer): string {
  switch (runner.at) {
    case 'start': {
      const { phase, code, diagnostic } = runner;
      return `not_started ${diagnostic === undefined ? code : `${code}, ${diagnostic.code}`} (${phase})`;
    }
    case 'call': {
      const { certainty, code, state } = runner;
      const said = `${certainty} ${code ?? 'result'}`;
      return state === 'ready' || state === code ? said : `${said}, then ${state}`;
    }
    case 'ready':
      return 'ready';
    case 'idle':
      return `not_started ${runner.code} (idle)`;
  }
}

/**
 * The scenarios for people: a table, or two lines each where that is wider than `columns`. What is no terminal has no width:
 * infinity.
 */
export function scenarioListText(columns: number): string {
  const rows = [
    ['SCENARIO', 'A RUNNER ANSWERS', 'CLAUSE', 'THE PLUGIN'],
    ...hostileScenarios.map(({ name, does, clause, runner }) => [
      name,
      runnerAnswerText(runner),
      clause ?? '-',
      does,
    ]),
  ];
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '));
  if (Math.max(...lines.map(({ length }) => length)) > columns) return narrowText();
  return lines.map((line) => `${line}\n`).join('');
}

function narrowText(): string {
  return hostileScenarios
    .map(({ name, does, runner }) => `${name}: ${does}\n ${runnerAnswerText(runner)}\n`)
    .join('');
}
