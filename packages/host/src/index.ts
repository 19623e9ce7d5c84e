export {
  type ConfigurationNotice,
  type ConfigurationPath,
  type ConfigurationReading,
  readConfiguration,
  type TableReader,
} from './configuration/table.ts';
export { type HostErrorCode, hostErrors } from './errors.ts';
export {
  type AppendedBackend,
  appendBackend,
  type NewBackend,
} from './models/configuration/append-backend.ts';
export type { Backend, BackendModel, BackendTables, Price } from './models/configuration/backend.ts';
export { backendKeys, readBackends } from './models/configuration/read-backends.ts';
export {
  type CallPart,
  type EndReason,
  type Message,
  type MessageCall,
  type MessageReasoning,
  type Model,
  ModelFault,
  type ModelMeta,
  type ModelMetadata,
  type ModelPart,
  type ModelRequest,
  type ModelTool,
  type ModelUsage,
} from './models/model.ts';
export { type BackendLine, type HostModel, Models, type ModelsOptions } from './models/models.ts';
export { readScript, type ScriptReading } from './models/scripted/read-script.ts';
export type { Script } from './models/scripted/script.ts';
export { scriptedModel } from './models/scripted/scripted-model.ts';
export type { AttemptCost, AttemptLedger, Ceiling, OpenAttempt } from './models/step/attempt-ledger.ts';
export { ModelCallGate } from './models/step/model-call-gate.ts';
export type { Reply } from './models/step/reply.ts';
export { runStep, type StepEvent, type StepOptions, type StepOutcome } from './models/step/run-step.ts';
export { TokenEstimate } from './models/token-estimate.ts';
export { toolText } from './models/tool-text.ts';
export { CalendarDays, isZone } from './usage/calendar-day.ts';
export { ceilingError, ceilingWords } from './usage/ceiling-words.ts';
export type { Amount, Ceilings, UsageSettings } from './usage/ceilings.ts';
export { readUsageSettings, usageKeys } from './usage/read-limits.ts';
export { type PricedModel, UsageLedger, type UsageLedgerOptions } from './usage/usage-ledger.ts';
export type { SessionCost, UsageSubject } from './usage/usage-rows.ts';
