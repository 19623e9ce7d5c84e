export {
  type Cap,
  type CapsOf,
  defineCap,
  type Implementation,
  type Memory,
  type MemoryHit,
  type MemoryScope,
  type MessageBody,
  type Messenger,
  memory,
  messenger,
  type Uses,
} from './authoring/cap.ts';
export type {
  AgentState,
  Agents,
  AgentView,
  Call,
  Entry,
  InSession,
  Log,
  NewEntry,
  SessionView,
  SettingsPatch,
  Turn,
} from './authoring/context.ts';
export { type Access, defineExtension, type Extension } from './authoring/extension.ts';
export { type ExtensionRef, readRef, type UnknownRef, version } from './authoring/extension-ref.ts';
export type {
  AddedMessage,
  AgentEnd,
  ArgsByName,
  Command,
  CommandOutput,
  Hooks,
  MethodsByName,
  Occasion,
  Part,
  Routine,
  RuntimeTool,
  Tool,
  ToolCall,
  ToolEnd,
  ToolOutput,
  ToolResult,
  Verdict,
} from './authoring/part.ts';
export type { Scope, ScopeKind } from './authoring/scope.ts';
export { ToolFault } from './authoring/tool-fault.ts';
export { type Certainty, ExtensionError, type ExtensionErrorCode } from './errors.ts';
export type { Json, JsonObject } from './json/json.ts';
export type { CapabilityRequest, Manifest, ManifestEndpoint, ManifestRoutine } from './manifest/manifest.ts';
export {
  type ArrayOptions,
  type Note,
  type NumberOptions,
  type SchemaBuilder,
  type StringOptions,
  s,
} from './schema/builder.ts';
export type { JsonSchema } from './schema/json-schema.ts';
export type { AnySchema, Infer, Input, Schema, Shape } from './schema/schema.ts';
export type { StandardSchema } from './schema/standard-schema.ts';
