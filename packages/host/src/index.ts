export type { AgentConfig, PromptFile, ToolProfile, WorkerConfig } from './agents/agent-config.ts';
export { Agents, type AgentsOptions, type KnownAgent } from './agents/agents.ts';
export type { AgentConfigReading } from './agents/read-agent-config.ts';
export { type AgentTable, type AgentTables, agentKeys, readAgents } from './agents/read-agents.ts';
export { type Seeded, type SeedOptions, seedAgents } from './agents/seed-agents.ts';
export type {
  ApprovalRequest,
  ApprovalsOptions,
  Decision,
  HeldApproval,
  ShownApproval,
} from './approvals/approval-request.ts';
export type { ApprovalRow, ApprovalState, ApprovalSubject } from './approvals/approval-rows.ts';
export { Approvals } from './approvals/approvals.ts';
export { type ClientPorts, createClientPorts } from './clients/client-ports.ts';
export type { CommandAnswer, CommandCaller, CommandLineGiven } from './commands/command-answer.ts';
export type { CommandHost, CommandPorts, Compacted, RunningTurn as ShownTurn } from './commands/ports.ts';
export {
  type ConfigurationNotice,
  type ConfigurationPath,
  type ConfigurationReading,
  readConfiguration,
  type TableReader,
} from './configuration/table.ts';
export type {
  AckBody,
  ApprovalDecisionBody,
  ApprovalRequestBody,
  DirectiveBody,
  Entry,
  EntryBody,
  EntryTier,
  EntryUsage,
  ErrorBody,
  MessageBody,
  Speaker,
  SummaryBody,
  ToolCallBody,
  ToolResultBody,
  ToolSettledBody,
  TurnEndBody,
  TurnStatus,
  UnknownEntry,
} from './entries/entry.ts';
export {
  type EntryPage,
  entriesBackwards,
  entryPage,
  exportSession,
  lastEntry,
} from './entries/entry-log.ts';
export { type FittedResult, fitResult, fitText } from './entries/fit-result.ts';
export { readEntry } from './entries/read-entry.ts';
export { entryValue, HOST } from './entries/write-entry.ts';
export { type HostErrorCode, hostErrors } from './errors.ts';
export type {
  DeltaEvent,
  EventSink,
  HeardEvent,
  SessionEvent,
  StateEvent,
  Subscription,
} from './events/session-event.ts';
export { SessionEvents, type SubscribeOptions } from './events/session-events.ts';
export { attenuate } from './grants/attenuate.ts';
export { type CommandLine, commandLineOf } from './grants/command-words.ts';
export { allowsEndpoint, type EndpointRequest } from './grants/endpoint.ts';
export {
  type CommandPrefix,
  DENY_ALL,
  type Endpoint,
  type FsGrant,
  type Grants,
  type NetworkGrant,
  type ShellGrant,
} from './grants/grants.ts';
export {
  grantsInForce,
  judgePath,
  type PathVerdict,
  type Place,
  sessionGrants,
  WORKSPACE,
} from './grants/in-place.ts';
export { grantsIn, readGrants } from './grants/read-grants.ts';
export { type LinkReader, machineLinks, realPath } from './grants/real-path.ts';
export { allowsCommand } from './grants/shell-grant.ts';
export type { AgentHost, AgentHostStatus, RunOptions, RunReport } from './host/agent-host.ts';
export type { HostOptions, HostReport, HostTables } from './host/host-options.ts';
export type { HostPeer, PeerCaller } from './host/host-peer.ts';
export { prepareHost } from './host/prepare-host.ts';
export type { PreparedHost } from './host/prepared-host.ts';
export { LeakDetector, type Redacted } from './leaks/leak-detector.ts';
export type { LeakCategory } from './leaks/leak-patterns.ts';
export { maskSensitive } from './leaks/mask-sensitive.ts';
export {
  type LeakPolicy,
  type ScreenedOutput,
  type Screening,
  screenFault,
  screenOutput,
} from './leaks/screen-result.ts';
export { visibleArguments, visibleName } from './leaks/visible-text.ts';
export type { Embedded, Embedder, EmbeddingFault } from './memory/embedding/embedder.ts';
export {
  type EmbeddingSettings,
  embeddingKeys,
  readEmbedding,
} from './memory/embedding/read-embedding.ts';
export { HostMemory, type HostMemoryOptions } from './memory/host-memory.ts';
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
export { type AddressKind, addressKind } from './network/address-kind.ts';
export { judgeUrl, type Target, type UrlVerdict } from './network/judge-url.ts';
export { readWeb, type WebSettings, webKeys } from './network/read-web.ts';
export { HostPlugins } from './plugins/host-plugins.ts';
export type { PluginPorts } from './plugins/plugin-ports.ts';
export { type PinTable, pinKeys, readPins } from './plugins/read-pins.ts';
export {
  type Authority,
  type CallVerdict,
  type DecideInput,
  decide,
  decideForClient,
  modeAllows,
  type RefusalCode,
  type SessionMode,
} from './policy/decide.ts';
export { RateLimiter, type RateVerdict } from './policy/rate-limiter.ts';
export {
  autoApproves,
  type PolicySettings,
  policyKeys,
  policyWordKeys,
  policyWordsIn,
  readPolicy,
} from './policy/read-policy.ts';
export {
  type Approval,
  type Effect,
  type OwnWords,
  type PolicySources,
  type PolicyWords,
  policyOf,
  type Risk,
  type ToolHints,
  type ToolPolicy,
} from './policy/tool-policy.ts';
export { readSchedules, type ScheduleTable, scheduleKeys } from './routines/read-schedules.ts';
export {
  type Firing,
  type FiringEnd,
  RoutineEngine,
  type RoutineEngineOptions,
  type SlotFate,
} from './routines/routine-engine.ts';
export type { RoutineLine } from './routines/routine-roster.ts';
export type { RoutinePlace } from './routines/routine-rows.ts';
export type { CutShort } from './sessions/cut-short-turns.ts';
export { HostState } from './sessions/host-state.ts';
export { mentionsIn } from './sessions/mentions.ts';
export { type NewMessage, type PostedEntry, postMessage } from './sessions/post-entry.ts';
export { type Recovered, type RecoveryPorts, recoverSessions } from './sessions/recovery.ts';
export type { SessionFloor } from './sessions/session-floor.ts';
export type { AttachedAgent, SessionMeta, SessionParent } from './sessions/session-meta.ts';
export { type NewSession, type SessionLine, Sessions, type SessionsOptions } from './sessions/sessions.ts';
export { beginTurn, endTurn, speakerOf, type TurnBegin, type TurnEnd } from './sessions/turns.ts';
export { feedWakes } from './sessions/wake-feed.ts';
export { type NextTurn, nextTurn, type PendingWake, pendingWakes } from './sessions/wakes.ts';
export { readSkillSettings, type SkillSettings, skillKeys } from './skills/read-skill-dirs.ts';
export type { SpawnEnd, SpawnRequest } from './spawn/spawn.ts';
export { runTurn } from './turn/run-turn.ts';
export { type RunningTurn, RunningTurns } from './turn/running-turns.ts';
export { TurnBudget, type TurnBudgetOptions } from './turn/turn-budget.ts';
export type { TurnFloor } from './turn/turn-floor.ts';
export type { TurnOptions, TurnReport } from './turn/turn-options.ts';
export { CalendarDays, isZone } from './usage/calendar-day.ts';
export { ceilingError, ceilingWords } from './usage/ceiling-words.ts';
export type { Amount, Ceilings, UsageSettings } from './usage/ceilings.ts';
export { readUsageSettings, usageKeys } from './usage/read-limits.ts';
export { type PricedModel, UsageLedger, type UsageLedgerOptions } from './usage/usage-ledger.ts';
export type { SessionCost, UsageSubject } from './usage/usage-rows.ts';
