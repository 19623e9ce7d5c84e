export { callRequestOf } from './checks/call-request.ts';
export type { CallRequest } from './checks/run.ts';
export type { Clause, ClauseLevel } from './clauses/clause.ts';
export { type ClauseId, clauses } from './clauses/clauses.ts';
export { playScenario } from './hostile/machine-stage.ts';
export type { RunnerAnswer, Scenario } from './hostile/scenario.ts';
export { scenarioListJson, scenarioListText } from './hostile/scenario-list.ts';
export { hostileScenarios, scenarioOf } from './hostile/scenarios.ts';
export type { PluginCommand, StartFault } from './plugin/lab.ts';
export { unknownScenario } from './program/unknown-scenario.ts';
export type { ClauseReport, ConformanceReport } from './report/conformance-report.ts';
export { type ReportOptions, reportJson, reportText } from './report/report-text.ts';
export {
  type ConformanceOptions,
  runConformance,
} from './run-conformance.ts';
