import { pluginSdkError } from '../errors.ts';
import { Tool, type ToolDefinition, type ToolHandler } from './tool.ts';

/** What `definePlugin` takes. */
export interface PluginOptions {
  /** In the order in which `tools/list` shows them. */
  readonly tools: readonly Tool[];
}

/** A finished plugin: opaque and frozen, ready for `runPlugin` or `servePlugin`. */
export class Plugin {
  readonly #definitions: readonly ToolDefinition[];
  readonly #handlers: ReadonlyMap<string, ToolHandler>;

  constructor(definitions: readonly ToolDefinition[], handlers: ReadonlyMap<string, ToolHandler>) {
    this.#definitions = definitions;
    this.#handlers = handlers;
    Object.freeze(this);
  }

  static definitions(plugin: Plugin): readonly ToolDefinition[] {
    return plugin.#definitions;
  }

  static handler(plugin: Plugin, toolName: string): ToolHandler | undefined {
    return plugin.#handlers.get(toolName);
  }
}

/**
 * Gathers tools into a plugin.
 *
 * @throws Error `sdk_tool_name_taken` when two tools share a name.
 * @throws TypeError `sdk_tool_foreign` for anything that `defineTool` of this copy of the package did not make.
 */
export function definePlugin(options: PluginOptions): Plugin {
  const handlers = new Map<string, ToolHandler>();
  const definitions = options.tools.map((tool) => {
    if (!Tool.made(tool)) throw pluginSdkError('sdk_tool_foreign', TypeError);
    const definition = Tool.definition(tool);
    if (handlers.has(definition.name)) {
      throw pluginSdkError('sdk_tool_name_taken', Error, { detail: definition.name });
    }
    handlers.set(definition.name, Tool.handler(tool));
    return definition;
  });
  return new Plugin(Object.freeze(definitions), handlers);
}
