import { pluginSdkError } from '../errors.ts';
import { frozenJson, type JsonObject, type JsonValue } from './json.ts';
import type { ToolResult } from './result.ts';
import type { InferSchema, ObjectSchema } from './schema-node.ts';

/** What `defineTool` takes. */
export interface ToolOptions<
  Input extends ObjectSchema<object>,
  Output extends ObjectSchema<object> | undefined,
> {
  /** 1..128 letters, digits, `_`, `.`, `-`; unique in its plugin. */
  readonly name: string;
  /** For people: 1..128 bytes. */
  readonly title?: string;
  /** For the model that picks a tool: up to 4096 bytes. */
  readonly description?: string;
  readonly inputSchema: Input;
  /** With it, every result must carry structured content that fits, error results too. */
  readonly outputSchema?: Output;
  /** Hints such as `readOnlyHint`; any JSON object of at most 64 KiB. */
  readonly annotations?: JsonObject;
  /**
   * Does the work. A throw or a rejection means "nobody knows what happened": the plugin stops without an answer.
   *
   * @param args The arguments. The Runner has checked them against `inputSchema`; this package has not.
   */
  readonly execute: (
    args: InferSchema<Input>,
  ) => ToolResult<StructuredOf<Output>> | Promise<ToolResult<StructuredOf<Output>>>;
}

/** The part of a tool that goes on the wire. */
export interface ToolDefinition {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: JsonValue;
  readonly outputSchema?: JsonValue;
  readonly annotations?: JsonValue;
}

/** A tool's handler, its argument type forgotten. */
export type ToolHandler = (args: object) => unknown;

type StructuredOf<Output> = Output extends ObjectSchema<infer Value> ? ReadonlyDeep<Value> : object;

// A handler may answer with what it holds as read-only; the wire does not care.
type ReadonlyDeep<Value> = Value extends object
  ? { readonly [Name in keyof Value]: ReadonlyDeep<Value[Name]> }
  : Value;

/** A finished tool: opaque and frozen. Private fields keep it closed to everything but this file. */
export class Tool {
  readonly #definition: ToolDefinition;
  readonly #handler: ToolHandler;

  constructor(definition: ToolDefinition, handler: ToolHandler) {
    this.#definition = definition;
    this.#handler = handler;
    Object.freeze(this);
  }

  /** Whether `value` came from this copy of `defineTool`. */
  static made(value: unknown): value is Tool {
    return typeof value === 'object' && value !== null && #definition in value;
  }

  static definition(tool: Tool): ToolDefinition {
    return tool.#definition;
  }

  static handler(tool: Tool): ToolHandler {
    return tool.#handler;
  }
}

/**
 * Makes a tool out of its definition and its handler. The definition is copied: changing the literal afterwards
 * changes nothing.
 *
 * @throws TypeError `sdk_tool_without_execute` when `execute` is not a function.
 */
export function defineTool<
  const Input extends ObjectSchema<object>,
  const Output extends ObjectSchema<object> | undefined = undefined,
>(options: ToolOptions<Input, Output>): Tool {
  const { execute, ...definition } = options;
  if (typeof execute !== 'function') throw pluginSdkError('sdk_tool_without_execute', TypeError);
  const { name, title, description, inputSchema, outputSchema, annotations } = definition;
  return new Tool(
    frozenJson({
      name,
      title,
      description,
      inputSchema,
      outputSchema,
      annotations,
    }) as unknown as ToolDefinition,
    execute as ToolHandler,
  );
}
