import { FairleadError } from '@fairlead/base';
import type { HostConfigReading } from '@fairlead/gateway/config';
import {
  type ImportTerms,
  type McpTables,
  readMcpFile,
  readMcpTables,
  type ServerConfig,
} from '@fairlead/mcp';

/** What `fairlead.toml` says of MCP servers. Throws `host_config_invalid`, with the line. */
export function mcpTablesOf(
  { document, refuse }: Pick<HostConfigReading & { readonly ok: true }, 'document' | 'refuse'>,
  warn: (message: string) => void,
): McpTables {
  const reading = readMcpTables(document);
  if (!reading.ok) {
    const { code, message } = refuse(reading.at, reading.problem);
    throw new FairleadError(code, message);
  }
  for (const { at, message } of reading.notices) warn(refuse(at, message).message);
  return reading.tables;
}

/** Every server: those of the file, then those of the files that it imports; a name belongs to who has it first. `told` hears what was left out. */
export async function allServers(
  { servers, imports, maySend }: McpTables,
  from: Omit<ImportTerms, 'maySend'>,
  told: (problem: string) => void,
): Promise<readonly ServerConfig[]> {
  const all = new Map(servers.map((server) => [server.name, server]));
  for (const path of imports) {
    const file = await readMcpFile(path, { ...from, maySend });
    for (const problem of file.problems) told(problem);
    for (const server of file.servers) {
      if (all.has(server.name)) told(`${path}: ${server.name} stands elsewhere already`);
      else if (all.size >= MOST) told(`${path}: ${server.name} is one more than ${MOST} servers`);
      else all.set(server.name, server);
    }
  }
  return [...all.values()];
}

const MOST = 64;
