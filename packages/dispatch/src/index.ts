export { argumentsDigest, type DigestKey, digestKey, pluginTarget } from './arguments-digest.ts';
export { BINDING_PREFIX, Bindings, type Observed } from './bindings.ts';
export type { DispatchLog } from './dispatch-log.ts';
export { type DispatchErrorCode, dispatchErrors } from './errors.ts';
export {
  createExecutor,
  type Executor,
  type ExecutorOptions,
  type Invocation,
  type InvocationRequest,
} from './executor.ts';
export { Journal } from './journal/journal.ts';
export type { JournalEnd, JournalEntry } from './journal/journal-row.ts';
export type { PluginToolAction } from './plugin-tool/action.ts';
export { pluginToolDefinition } from './plugin-tool/definition.ts';
export type { InvocationError } from './plugin-tool/explain.ts';
export { mayUseRunner, type Principal } from './principal.ts';
export {
  PLUGIN_CAPABILITY,
  type RunnerPort,
  type RunnerRequestOptions,
  type VisibleRunner,
} from './runner-port.ts';
export { isScope, type Scope, scopes } from './scopes.ts';
export type { SessionRecorder } from './session-recorder.ts';
