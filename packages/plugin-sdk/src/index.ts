export type { JsonObject, JsonValue, JsonValue as Json } from './authoring/json.ts';
export { definePlugin, type Plugin, type PluginOptions } from './authoring/plugin.ts';
export { errorResult, type TextContent, type ToolResult, textResult } from './authoring/result.ts';
export {
  type ArrayOptions,
  type NodeOptions,
  type ObjectOptions,
  type StringOptions,
  schema,
} from './authoring/schema.ts';
export type {
  ArraySchema,
  BooleanSchema,
  InferSchema,
  NullSchema,
  NumberSchema,
  ObjectSchema,
  OptionalProperty,
  Schema,
  SchemaProperties,
  StringSchema,
} from './authoring/schema-node.ts';
export { defineTool, type Tool, type ToolOptions } from './authoring/tool.ts';
export type { PluginSdkError, PluginSdkErrorCode } from './errors.ts';
export type { PluginOutput } from './runtime/line-writer.ts';
export { runPlugin } from './runtime/run-plugin.ts';
export { type PluginInput, type PluginStreams, servePlugin } from './runtime/serve-plugin.ts';
