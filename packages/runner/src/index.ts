export { answerRequest, handleRequest } from './answer-request.ts';
export { type ConfigNote, noteText } from './config/config-table.ts';
export { isRunnerId } from './config/names.ts';
export type { PluginsConfig, ProviderConfig } from './config/plugins-table.ts';
export { type RunnerConfigFile, readRunnerConfig } from './config/read-runner-config.ts';
export { emptyConfig, type RunnerConfig } from './config/runner-config.ts';
export type { ShellConfig, ShellProfileConfig } from './config/shell-table.ts';
export { runnerErrors } from './errors.ts';
export {
  type ConnectLink,
  connectLinkThrough,
  type LinkSocket,
  type LinkSocketEvents,
  type LinkTarget,
} from './link/link-socket.ts';
export {
  type LocalAnswer,
  type LocalRunner,
  type LocalStderrLine,
  type PluginStderr,
  readLocalStatus,
  readStderr,
} from './local/read-stderr.ts';
export type { RunnerLog } from './log.ts';
export {
  EnvironmentSnapshots,
  type EnvironmentSnapshotsOptions,
} from './provider/environment-snapshots.ts';
export { ProviderSet } from './providers/provider-set.ts';
export { type Runner, type RunnerOptions, startRunner } from './runner.ts';
