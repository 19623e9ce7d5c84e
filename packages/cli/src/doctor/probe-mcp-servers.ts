import { type McpTables, serverNeeds } from '@fairlead/mcp';
import { sensitiveNames } from '@fairlead/process';
import type { CommandContext } from '../command-context.ts';
import { allServers } from '../extensions/mcp-tables.ts';
import type { SeenMcp, SeenMcpServer } from './mcp-servers.ts';

/** Looks for the program and the variables of each server, imported ones among them. Nothing is started and nobody is asked. */
export async function seeMcpServers(
  { env, platform }: Pick<CommandContext, 'env' | 'platform'>,
  tables: McpTables,
  from: { readonly folder: string; readonly environmentKeys: readonly string[] },
): Promise<SeenMcp> {
  const { folder } = from;
  const secretVariables = sensitiveNames(from.environmentKeys);
  const leftOut: string[] = [];
  const terms = { folder, home: env['HOME'], secretVariables };
  const servers = await allServers(tables, terms, (problem) => void leftOut.push(problem));
  const seen = servers.map(async (server): Promise<SeenMcpServer> => {
    const { program, missing } = await serverNeeds(server, { env, platform, secretVariables, folder });
    const reached: SeenMcpServer['reached'] =
      server.kind === 'http'
        ? { kind: 'address', url: new URL(server.url).origin }
        : { kind: 'program', command: server.command, path: program?.path ?? null };
    return { name: server.name, reached, missing: [...new Set(missing)] };
  });
  return { servers: await Promise.all(seen), leftOut };
}
