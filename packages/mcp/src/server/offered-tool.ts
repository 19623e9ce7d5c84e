import type { JsonObject } from '@fairlead/base';
import type { JsonSchema } from '@fairlead/extension';
import type { ToolContribution } from '@fairlead/extension/runtime';
import { type CatalogRow, foreignToolName } from '@fairlead/hub';
import type { ServerConfig } from '../configuration/server-config.ts';
import { catalogBounds } from '../limits.ts';
import { readable } from '../schema/seen-text.ts';
import { shownSchema } from '../schema/shown-schema.ts';
import type { WireCall } from './mcp-client.ts';

/** One tool that the extension of a server offers. */
export interface OfferedTool {
  readonly contribution: ToolContribution;
  /** Arguments are held against it. */
  readonly schema: JsonObject;
  readonly method: WireCall['method'];
  /** As the server calls it; of the others, what this package does. */
  readonly tool: string;
  /** Of `tools/call`: what was approved. */
  readonly definition?: JsonObject;
}

/** The tool of an approved row; undefined for one that holds no more. */
export function offeredTool(
  server: Pick<ServerConfig, 'name' | 'timeoutMs'>,
  row: CatalogRow,
): OfferedTool | undefined {
  if (row.state !== 'approved' || row.approved === undefined || row.tool === '') return undefined;
  const { definition, observation } = row.approved;
  const shown = shownSchema(definition['inputSchema']);
  if (!shown.ok) return undefined;
  const hints = hintsOf(definition);
  return {
    method: 'tools/call',
    tool: row.tool,
    definition,
    schema: definition['inputSchema'] as JsonObject,
    contribution: contributionOf(server, {
      tool: row.tool,
      about: aboutOf(server.name, definition, row.tool),
      args: shown.schema,
      target: `mcp:${server.name}/${row.tool}#${observation}`,
      hints,
    }),
  };
}

const TEXT: JsonObject = { type: 'string', minLength: 1, maxLength: 4096 };

/** What is offered beside a server's tools, where it has resources or prompts. */
export function otherTools(
  server: Pick<ServerConfig, 'name' | 'timeoutMs'>,
  offers: { readonly resources: boolean; readonly prompts: boolean },
): readonly OfferedTool[] {
  const { name } = server;
  const other = (
    tool: string,
    method: OfferedTool['method'],
    about: string,
    properties: JsonObject,
    required: readonly string[],
  ): OfferedTool => {
    const schema: JsonObject = {
      type: 'object',
      properties,
      ...(required.length === 0 ? {} : { required: [...required] }),
      additionalProperties: false,
    };
    const target = `mcp:${name}/${method}#v1`;
    const contribution = contributionOf(server, {
      ...{ tool, about, args: schema, target },
      hints: { readOnlyHint: true },
    });
    return { contribution, schema, method, tool };
  };
  const cursor = { cursor: { ...TEXT, description: 'nextCursor of the page before' } };
  const resources = [
    other(
      'list_resources',
      'resources/list',
      `Lists the resources of the MCP server ${name}, a page at a time.`,
      cursor,
      [],
    ),
    other(
      'read_resource',
      'resources/read',
      `Reads a resource of the MCP server ${name} by its URI.`,
      { uri: { ...TEXT, description: 'As list_resources says it' } },
      ['uri'],
    ),
  ];
  const prompts = [
    other(
      'list_prompts',
      'prompts/list',
      `Lists the prompts of the MCP server ${name}, a page at a time.`,
      cursor,
      [],
    ),
    other(
      'get_prompt',
      'prompts/get',
      `Gets a prompt of the MCP server ${name} with its arguments filled in.`,
      {
        name: { ...TEXT, description: 'As list_prompts says it' },
        arguments: { type: 'object', additionalProperties: { type: 'string' } },
      },
      ['name'],
    ),
  ];
  return [...(offers.resources ? resources : []), ...(offers.prompts ? prompts : [])];
}

function contributionOf(
  server: Pick<ServerConfig, 'name' | 'timeoutMs'>,
  said: {
    readonly tool: string;
    readonly about: string;
    readonly args: JsonObject;
    readonly target: string;
    readonly hints: NonNullable<ToolContribution['foreign']>['hints'];
  },
): ToolContribution {
  const { tool, about, args, target, hints } = said;
  return {
    name: foreignToolName(server.name, tool),
    about,
    // Any schema of an object: it is shown, and calls are held against the server's own.
    args: args as unknown as JsonSchema,
    risk: 'medium',
    approval: 'unless_auto_approved',
    timeout_ms: server.timeoutMs,
    sensitive: [],
    effect: 'write',
    runtime: true,
    foreign: { target, tool, hints },
  };
}

function hintsOf(definition: JsonObject): NonNullable<ToolContribution['foreign']>['hints'] {
  const { annotations } = definition;
  const { destructiveHint, readOnlyHint } = (annotations ?? {}) as JsonObject;
  return {
    ...(typeof destructiveHint === 'boolean' ? { destructiveHint } : {}),
    ...(typeof readOnlyHint === 'boolean' ? { readOnlyHint } : {}),
  };
}

/** What a model reads: what the server says, without characters that nobody sees. */
function aboutOf(server: string, { title, description }: JsonObject, tool: string): string {
  const said = [description, title].find((text) => typeof text === 'string' && text.trim() !== '');
  const about = typeof said === 'string' ? said : `The tool ${tool} of the MCP server ${server}.`;
  return readable(about, catalogBounds.aboutLength);
}
