export { type HubErrorCode, hubError, hubErrors } from './errors.ts';
export type { Failure, FailureScope } from './failures/failure.ts';
export type { ExtensionSource, Tier } from './install/extension-source.ts';
export type { InstallNote, InstallReport, RefusedSource, ReplaceReport } from './install/install-report.ts';
export type { Gone, Installed } from './install/installed.ts';
export type { FailedExtension } from './install/roster.ts';
export type { HubReport, Report } from './report.ts';
