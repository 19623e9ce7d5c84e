export {
  type ConfigurationNotice,
  type ExtensionTables,
  type ExtensionTablesReading,
  readExtensionTables,
} from './configuration/read-extension-tables.ts';
export { type HubErrorCode, hubError, hubErrors } from './errors.ts';
export type { Failure, FailureScope } from './failures/failure.ts';
export type { ExtensionSource, Tier } from './install/extension-source.ts';
export type { InstallNote, InstallReport, RefusedSource, ReplaceReport } from './install/install-report.ts';
export type { Gone, Installed } from './install/installed.ts';
export type { FailedExtension } from './install/roster.ts';
export { type BlockedThread, ThreadMonitor, type ThreadMonitorOptions } from './monitor/thread-monitor.ts';
export { checkFolder, type FolderCheck, type FolderProblem } from './path/check-folder.ts';
export { loadPathSource, type PathSource, type PathSourceOptions } from './path/path-source.ts';
export type { HubReport, Report } from './report.ts';
export { type ResolvedSettings, resolveSecrets } from './settings/secrets.ts';
