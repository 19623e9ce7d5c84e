export { type ImportTerms, type McpFileReading, readMcpFile } from './configuration/read-mcp-file.ts';
export {
  type McpTables,
  type McpTablesReading,
  mcpKeys,
  readMcpTables,
} from './configuration/read-mcp-tables.ts';
export type { HttpServer, OAuthConfig, ServerConfig, StdioServer } from './configuration/server-config.ts';
export { mcpErrors } from './errors.ts';
export { McpServers, secretsOf } from './extension/mcp-servers.ts';
export { SecretBox } from './oauth/secret-box.ts';
export { SecretRows } from './oauth/secret-rows.ts';
export type { ServerFloor } from './server/server-floor.ts';
export { type ServerNeeds, serverNeeds } from './server/server-needs.ts';
