export { argumentsDigest, type DigestKey, digestKey, pluginTarget } from './arguments-digest.ts';
export type { BindingBook } from './bindings/binding-book.ts';
export { BINDING_PREFIX, Bindings } from './bindings/bindings.ts';
export { type Observed, observed } from './bindings/observed.ts';
export type { DispatchLog } from './dispatch-log.ts';
export { type DispatchErrorCode, dispatchErrors } from './errors.ts';
export {
  createExecutor,
  type Executor,
  type ExecutorOptions,
  type InvocationRequest,
  type LookedAt,
} from './executor.ts';
export { READ_LOST } from './invocation/explain.ts';
export type { ToolRequest } from './invocation/invoker.ts';
export {
  directTool,
  type RuntimeTool,
  type ToolDefinition,
  type ToolRoute,
} from './invocation/runtime-tool.ts';
export type { Invocation } from './invocation.ts';
export type { InvocationError } from './invocation-error.ts';
export { Journal } from './journal/journal.ts';
export type { JournalPage, JournalQuery, JournalShown } from './journal/journal-page.ts';
export type { JournalEnd, JournalEntry } from './journal/journal-row.ts';
export type { RecentCall, SameCall } from './journal/recent-call.ts';
export type { OwedResult, SessionCall } from './journal/session-call.ts';
export { JOURNAL_PAGE_DEFAULT, JOURNAL_PAGE_MAX } from './limits.ts';
export type { PluginToolAction } from './plugin-tool/action.ts';
export { pluginToolDefinition } from './plugin-tool/definition.ts';
export { observeTool, type ToolSeen } from './plugin-tool/describe.ts';
export { mayUseRunner, type Principal } from './principal.ts';
export { runnerOfTarget } from './runner-in-target.ts';
export {
  PLUGIN_CAPABILITY,
  type RunnerEvents,
  type RunnerListener,
  type RunnerPort,
  type RunnerRequestOptions,
  type VisibleProject,
  type VisibleRunner,
} from './runner-port.ts';
export { isScope, type Scope, scopes } from './scopes.ts';
export type { Caller } from './sessions/caller.ts';
export type { Permission, PermissionDecision, PermissionRequest } from './sessions/permission.ts';
export type { DeskAnswer, DeskVisitor, SessionDesk } from './sessions/session-desk.ts';
export type {
  RecordedCall,
  RecordedEnd,
  RecordedSettlement,
  RecordingSession,
  SessionRecorder,
  TaskWords,
} from './sessions/session-recorder.ts';
export type { SessionTool, SessionToolCall, SessionTools } from './sessions/session-tools.ts';
export { type CallReport, Settler, type SettlerOptions } from './settling/settler.ts';
export { createTools, type ToolPorts } from './tools/create-tools.ts';
export { readsOnly } from './tools/reads-only.ts';
