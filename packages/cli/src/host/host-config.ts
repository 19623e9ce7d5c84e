import { join, resolve } from 'node:path';
import { FairleadError } from '@fairlead/base';
import { type HostConfigReading, readHostConfig } from '@fairlead/gateway/config';
import type { ExtensionTables } from '@fairlead/hub';
import { type McpTables, mcpKeys } from '@fairlead/mcp';
import type { CommandContext } from '../command-context.ts';
import { extensionKeys, extensionTablesOf } from '../extensions/extension-tables.ts';
import { mcpTablesOf } from '../extensions/mcp-tables.ts';
import { agentTableKeys, agentTablesOf, type HostTables, machineZone } from './agent-tables.ts';

/** The flags of `up`, `serve` and `config show` that lay over `fairlead.toml`. */
export type HostConfigFlags = {
  readonly config?: string;
  readonly bind?: string;
  readonly port?: number;
  readonly allowRemote?: boolean;
};

/** What `fairlead.toml`, environment and flags say, each part by its own readers. */
export type LoadedHostConfig = HostConfigReading & {
  readonly ok: true;
  readonly path: string;
  readonly extensions: ExtensionTables;
  readonly tables: HostTables;
  readonly mcp: McpTables;
  /** The file as it says it now. Rejects with the gateway's configuration codes. */
  readonly reread: () => Promise<HostConfigReading & { readonly ok: true }>;
};

/** Where the file is or would be. */
export function hostConfigPath(context: CommandContext, stateDirectory: string, flag?: string): string {
  return flag === undefined ? join(stateDirectory, 'fairlead.toml') : resolve(context.cwd, flag);
}

/**
 * Reads `fairlead.toml` with environment and flags laid over it, what it says about extensions and agents too, and prints its warnings.
 * Throws the gateway's configuration codes.
 */
export async function loadHostConfig(
  context: CommandContext,
  stateDirectory: string,
  flags: HostConfigFlags,
): Promise<LoadedHostConfig> {
  const { config, bind, port, allowRemote } = flags;
  const path = hostConfigPath(context, stateDirectory, config);
  const read = async () => {
    const reading = await readHostConfig({
      path,
      readElsewhere: [...extensionKeys, ...agentTableKeys, ...mcpKeys],
      isNamed: config !== undefined,
      env: context.env,
      flags: { bind, port, allowRemote },
    });
    if (!reading.ok) throw new FairleadError(reading.fault.code, reading.fault.message);
    return reading;
  };
  const reading = await read();
  const warn = (message: string) => context.stderr(`fairlead: ${message}\n`);
  for (const { message } of reading.warnings) warn(message);
  const extensions = extensionTablesOf(reading, warn);
  const tables = agentTablesOf(reading, machineZone(), warn);
  const mcp = mcpTablesOf(reading, warn);
  return { ...reading, path, extensions, tables, mcp, reread: read };
}
