export {
  type EnvironmentAnswer,
  type EnvironmentRequest,
  prepareEnvironment,
} from './environment/prepare-environment.ts';
export { filterEnvironment, runtimeNames, sensitiveNames } from './environment/sensitive-names.ts';
export { type Dialect, type ShellEnvironment, type ShellProfile, shellDialect } from './environment/shell.ts';
export { processErrors } from './errors.ts';
export type { FileView } from './executable/file-view.ts';
export {
  type ExecutableAnswer,
  type ExecutableRequest,
  resolveExecutable,
} from './executable/resolve-executable.ts';
export { PROVIDER_VARIABLE } from './family/provider-variable.ts';
export { initScriptLimits, stderrLimits, treeLimits, watchdogLimits } from './limits.ts';
export type { Platform } from './platform.ts';
export { type StderrLine, StderrRing } from './stderr/stderr-ring.ts';
export type { Exit, ProcessTree } from './tree/process-tree.ts';
export {
  type SpawnFault,
  type SpawnTreeAnswer,
  type SpawnTreeOptions,
  spawnTree,
  type TreeOwner,
} from './tree/spawn-tree.ts';
export {
  startWatchdog,
  type Watchdog,
  type WatchdogEvent,
  type WatchdogOptions,
} from './watchdog/watchdog.ts';
