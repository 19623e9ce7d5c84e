import type { ExtensionAdministration } from '@fairlead/gateway';
import type { CatalogDesk } from '@fairlead/hub';
import type { McpServers } from '@fairlead/mcp';
import type { PathExtensions } from './path-extensions.ts';

/** The doors by which this machine's own commands reach extensions: folders are loaded by one, servers are approved by the other. */
export function administrationOf(
  paths: PathExtensions,
  servers: McpServers,
  plugins: CatalogDesk,
): ExtensionAdministration {
  const deskOf = (name: string): CatalogDesk => (plugins.has(name) ? plugins : servers);
  return {
    list: () => paths.list(),
    output: (name) => (servers.has(name) ? servers.output(name) : paths.output(name)),
    load: (folder) => paths.load(folder),
    reload: (name) => paths.reload(name),
    unload: (name) => paths.unload(name),
    catalogs: {
      diff: (name, tool) => deskOf(name).diff(name, tool),
      approve: (name, seen, by) => deskOf(name).approve(name, seen, by),
    },
  };
}
