import { Client } from '@modelcontextprotocol/client';
import type { McpRevision } from './mcp-poster.ts';

/** The official client, unconnected; without a revision it speaks as it does by default. */
export function mcpClient(revision?: McpRevision): Client {
  const mode = revision === '2026-07-28' ? { pin: revision } : 'legacy';
  return new Client({ name: 'fairlead-bench', version: '1.0.0' }, { versionNegotiation: { mode } });
}
