export {
  type Activation,
  effectiveSet,
  readActive,
  readOptOuts,
} from './activation/active-set.ts';
export { history, type PastSwitch } from './activation/history.ts';
export type { FoldOptions } from './activation/newest-events.ts';
export type { Missing } from './activation/read-missing.ts';
export { activate, deactivate, putDeactivated } from './activation/switch.ts';
export type { AgentDirectory, HostedAgent } from './agent-state/agent-directory.ts';
export type { AgentStateAllowlist } from './agent-state/agent-scope.ts';
export { Catalog, type CatalogOptions, type CatalogRow, type CatalogState } from './catalogs/catalog.ts';
export type { CatalogDesk } from './catalogs/catalog-desk.ts';
export { catalogDiff, type DiffMark, type ToolDiff } from './catalogs/catalog-diff.ts';
export { foreignToolName } from './catalogs/foreign-tool-name.ts';
export { localSchema } from './catalogs/local-schema.ts';
export {
  type ConfigurationNotice,
  type ExtensionTables,
  type ExtensionTablesReading,
  readExtensionTables,
} from './configuration/read-extension-tables.ts';
export {
  callTool,
  type Decision,
  type FinalCall,
  type ToolEnd,
  type ToolRequest,
} from './dispatch/call-tool.ts';
export { type FoundTool, findTool } from './dispatch/find-tool.ts';
export {
  fireAgentEnd,
  fireBeforeAgentStart,
  promptBlocks,
  statusSegments,
  tailBlocks,
} from './dispatch/fire-hooks.ts';
export { type CommandOutcome, type CommandRequest, runCommand } from './dispatch/run-command.ts';
export { type HubErrorCode, hubError, hubErrors } from './errors.ts';
export type {
  CommandAnswer as HostCommandAnswer,
  CommandPlace,
} from './extensions-command/command-answer.ts';
export { extensionsCommand } from './extensions-command/extensions-command.ts';
export type { ExtensionsPorts } from './extensions-command/ports.ts';
export type { Failure, FailureScope } from './failures/failure.ts';
export type { ExtensionRow } from './hub/extension-row.ts';
export type {
  ExtensionLine,
  Hub,
  HubOptions,
  OpenedSession,
  RoutineFiring,
  RoutineScope,
  SessionUse,
} from './hub/hub.ts';
export { openHub } from './hub/open-hub.ts';
export { type BuiltinOptions, builtinSource } from './install/builtin-source.ts';
export type { ExtensionSource, Tier } from './install/extension-source.ts';
export type { InstallNote, InstallReport, RefusedSource, ReplaceReport } from './install/install-report.ts';
export type { Gone, Installed } from './install/installed.ts';
export { RESERVED_COMMANDS } from './install/reserved-names.ts';
export type { FailedExtension } from './install/roster.ts';
export { catalogLimits, sessionLimits } from './limits.ts';
export type { LiveCap, LiveSet } from './live/live-set.ts';
export type { Refused } from './live/live-snapshot.ts';
export type { LiveCommand, LiveTool } from './live/live-tool.ts';
export type { Waiting } from './live/members.ts';
export type { Shadowed } from './live/name-table.ts';
export { type BlockedThread, ThreadMonitor, type ThreadMonitorOptions } from './monitor/thread-monitor.ts';
export { checkFolder, type FolderCheck, type FolderProblem } from './path/check-folder.ts';
export { FolderManifests, type StandIn } from './path/folder-manifests.ts';
export { loadPathSource, type PathSource, type PathSourceOptions } from './path/path-source.ts';
export type { HubReport, Report } from './report.ts';
export { ENTRIES_TABLE, type EntryView, readEntry as readEntryView } from './sessions/entry.ts';
export { type ResolvedSettings, resolveSecrets } from './settings/secrets.ts';
