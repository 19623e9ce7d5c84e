export { type Admission, type AdmittedTool, admitCatalog, type FrozenCatalog } from './admission.ts';
export { type CallOutcome, type CallState, callStates } from './call-outcome.ts';
export { type CheckPhase, checkPhases } from './check-phases.ts';
export {
  type ChangedField,
  type ConfigCheck,
  type ConfigReload,
  type FieldEffect,
  type FieldPlace,
  isConfigField,
} from './config-report.ts';
export {
  type Diagnostic,
  type DiagnosticCode,
  type DiagnosticField,
  isDiagnostic,
} from './diagnostics.ts';
export { encodeResponse, outcomeOf, responseOf } from './dispatch-state.ts';
export { type ProtocolCode, protocolErrors } from './errors.ts';
export {
  type EncodedRequest,
  encodeRequest,
  type LineFault,
  LineSplitter,
  type LineSplitterOptions,
  type PluginMethod,
} from './framing.ts';
export {
  argumentsBounds,
  catalogLimits,
  configReportLimits,
  definitionPartBounds,
  frameBounds,
  frameLimits,
  initializeBounds,
  linkBounds,
  linkLimits,
  PROTOCOL_VERSION,
  projectCatalogLimits,
  providerLimits,
  REPORT_DETAIL_MAX_BYTES,
  RESULT_MAX_ITEMS,
  resultBounds,
  schemaLimits,
  timeoutLimits,
} from './limits.ts';
export {
  encodeLinkFrame,
  encodeResultFrame,
  type InventoryFrame,
  type LinkFrame,
  type LinkFrameFault,
  type LinkFrameParse,
  type LinkSender,
  parseLinkFrame,
  type RegisterFrame,
  type RequestFrame,
  type ResultFrame,
} from './link-frame.ts';
export {
  isCode,
  isLinkName,
  isOpaqueId,
  isProviderId,
  isProviderName,
  isText,
  isToolDescription,
  isToolName,
  isToolTitle,
} from './names.ts';
export { toolObservation } from './observation.ts';
export {
  CATALOG_REVISION_PREFIX,
  type ProjectCatalog,
  type ProjectCatalogEntry,
  TOOL_HINTS,
  type ToolHints,
} from './project-catalog.ts';
export type { ProviderRow, ProviderStatus } from './provider-row.ts';
export { type PluginResponse, type ResponseFault, readResponse } from './response.ts';
export {
  type CallResult,
  type CheckedCallResult,
  checkCallResult,
  checkInitializeResult,
  isCallResult,
} from './results.ts';
export {
  type CatalogTool,
  type CheckReport,
  type RunnerPayload,
  readRunnerPayload,
} from './runner-payload.ts';
export { hasEffect, type RunnerRequest, readRunnerRequest } from './runner-request.ts';
export { checkResponse, type RunnerResponse, readRunnerResponse } from './runner-response.ts';
export type { SchemaFault } from './schema-fault.ts';
export { type CompiledSchema, compileSchema, type SchemaCompilation } from './schema-profile.ts';
export type { SchemaCode, SchemaRole } from './schema-reader.ts';
