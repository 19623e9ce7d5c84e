export { definitionOf, isExtension } from '../authoring/definition.ts';
export { type ExtensionRef, readRef, version } from '../authoring/extension-ref.ts';
export { type Ask, checkAsk, type HostSide, type LogLine } from '../carrier/ask.ts';
export {
  abortCall,
  type CallContext,
  type CallId,
  type CallRequest,
  type Carrier,
  type Contributions,
  type Death,
  type EndpointKind,
  endCall,
  type Firing,
  type ForeignTool,
  type HookEndpoint,
  type OpenRequest,
  type ToolContribution,
  type UsedCap,
} from '../carrier/carrier.ts';
export { FrameCarrier, type FrameCarrierOptions } from '../carrier/frame-carrier.ts';
export type { FramePort, GuestFrame, HostFrame } from '../carrier/frames.ts';
export { type JsonCarrierOptions, jsonCarrier } from '../carrier/json-carrier.ts';
export { readGuestFrame } from '../carrier/read-guest-frame.ts';
export { type ServedGuest, type ServeOptions, serveGuest } from '../carrier/serve-guest.ts';
export { ThreadCarrier } from '../carrier/thread-carrier.ts';
export { type Clock, machineClock } from '../clock.ts';
export {
  type CommandForm,
  type CommandLine,
  commandName,
  parseCommandLine,
  usageOf,
} from '../command/command-line.ts';
export { splitWords, type Word, type Words } from '../command/split-words.ts';
export {
  type FiredKind,
  HOOK_CONTRACTS,
  type HookClass,
  type HookContract,
  judges,
} from '../contracts/hook-contracts.ts';
export { HOOK_KINDS, HOOK_MEMBERS, type HookKind } from '../contracts/hook-kinds.ts';
export type { NormalOutput } from '../contracts/tool-output.ts';
export { Budget, type Budgeted, BudgetWheel } from '../dispatch/budget-wheel.ts';
export { type CarryOptions, carryCall, carryTool } from '../dispatch/carry-call.ts';
export { blockText, type GateResult } from '../dispatch/gate-fold.ts';
export {
  HookDispatcher,
  type HookDispatcherOptions,
  type OwnedSegments,
  type OwnedText,
  type Soon,
} from '../dispatch/hook-dispatcher.ts';
export type { FireOptions, HookReport, HookTarget } from '../dispatch/hook-target.ts';
export {
  type CallFault,
  type CallOutcome,
  callFaultText,
  hasValue,
  type ToolAnswer,
  toolAnswer,
} from '../dispatch/outcome.ts';
export type { OwnedMessage, ResultText } from '../dispatch/text-folds.ts';
export {
  type Certainty,
  ExtensionError,
  type ExtensionErrorCode,
  extensionError,
  extensionErrors,
} from '../errors.ts';
export { Guest, type GuestOptions } from '../guest/guest.ts';
export { patchOf } from '../guest/settings-patch.ts';
export { deepFreeze } from '../json/deep-freeze.ts';
export { type JsonBounds, type PlainJson, plainJson } from '../json/plain-json.ts';
export {
  ARGUMENTS_BOUNDS,
  ASKS_MAX,
  budgets,
  CAP_MAX_DEPTH,
  contextLimits,
  FRAME_MAX_BYTES,
  manifestLimits,
  outputLimits,
  schemaLimits,
  VALUE_BOUNDS,
  workerLimits,
} from '../limits.ts';
export {
  type CheckedContributions,
  checkContributions,
  type UndeclaredContribution,
} from '../manifest/check-contributions.ts';
export { checkExtension, type ExtensionProblem } from '../manifest/check-extension.ts';
export { HOST_ONLY_KINDS, isHostOnly, isProvidable, PROVIDABLE_KINDS } from '../manifest/kinds.ts';
export { API_VERSION, type CapabilityRequest, type Manifest } from '../manifest/manifest.ts';
export { type ManifestCheck, type ManifestFault, manifestFaultText } from '../manifest/manifest-fault.ts';
export { manifestText, sameManifest } from '../manifest/manifest-text.ts';
export { isCommandName, isExtensionName, isSettingsKey, isToolName } from '../manifest/names.ts';
export { type ManifestReading, validateManifest } from '../manifest/validate-manifest.ts';
export { type CompiledSchema, compileSchema, type ParseResult } from '../schema/compile-schema.ts';
export { faultText, type SchemaFault } from '../schema/schema-fault.ts';
export {
  type MergedSettings,
  mergeSettings,
  patchSettings,
  type SettingsLayer,
  type SettingsReport,
} from '../settings/merge-settings.ts';
export { WorkerCarrier, type WorkerCarrierOptions } from '../worker/worker-carrier.ts';
