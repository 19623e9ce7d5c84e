import type { ConfigRow } from '@fairlead/gateway/config';
import type { Backend } from '@fairlead/host';
import type { LoadedHostConfig } from './host-config.ts';

/** A row of `config show`: a value that counts and where it came from. */
export type ShownRow = Omit<ConfigRow, 'value'> & { readonly value: string | number | null };

type Loaded = Pick<LoadedHostConfig, 'document' | 'refuse' | 'tables' | 'mcp'>;

/**
 * What the tables of models, ceilings, policy and agents come to, a row each. A key is shown as the variable that holds it, never as
 * what it holds; a prompt as its length.
 */
export function configTableRows(loaded: Loaded): readonly ShownRow[] {
  return [
    ...limitRows(loaded),
    ...policyRows(loaded),
    ...backendRows(loaded),
    ...agentRows(loaded),
    ...reachRows(loaded),
  ];
}

/** One value of the file, or the default that holds in its place. */
function row({ document, refuse }: Loaded, path: readonly (string | number)[], value: ShownRow['value']) {
  const key = path.join('.');
  if (!stands(document, path)) return { key, value, source: 'default', from: null, line: null } as const;
  return { key, value, source: 'file', from: null, line: refuse(path, '').line ?? null } as const;
}

function stands(document: unknown, path: readonly (string | number)[]): boolean {
  let at = document;
  for (const key of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return false;
    at = (at as Readonly<Record<string | number, unknown>>)[key];
  }
  return true;
}

function limitRows(loaded: Loaded): ShownRow[] {
  const { ceilings, zone, modelCalls } = loaded.tables.usage;
  const { turn, session, agentDay, day } = ceilings;
  const amounts = Object.entries({ turn, session, agent_day: agentDay, day });
  return [
    ...amounts.flatMap(([name, { tokens, nanousd }]) => [
      row(loaded, ['limits', `${name}_tokens`], tokens),
      row(loaded, ['limits', `${name}_usd`], nanousd / 1_000_000_000),
    ]),
    row(loaded, ['limits', 'zone'], zone),
    row(loaded, ['limits', 'model_calls'], modelCalls),
  ];
}

function policyRows(loaded: Loaded): ShownRow[] {
  const { leak, autoApprove, tools, grants } = loaded.tables.policy;
  return [
    row(loaded, ['policy', 'leak'], leak),
    row(loaded, ['policy', 'auto_approve'], autoApprove.join(', ') || null),
    ...[...tools].map(([name, words]) =>
      row(loaded, ['policy', 'tools', name], JSON.stringify(words).replaceAll(/[{}"]/g, '')),
    ),
    row(
      loaded,
      ['policy', 'grants'],
      stands(loaded.document, ['policy', 'grants']) ? JSON.stringify(grants) : null,
    ),
  ];
}

function backendRows(loaded: Loaded): ShownRow[] {
  const { backends, model } = loaded.tables.backends;
  const [first] = backends.flatMap(({ name, models }) => models.map((one) => `${name}/${one.name}`));
  return [
    row(loaded, ['model'], model ?? first ?? null),
    ...backends.map((backend, index) => ({
      ...row(loaded, ['backends', index], backendText(backend)),
      key: `backends.${backend.name}`,
    })),
  ];
}

function backendText(backend: Backend): string {
  const models = `models ${backend.models.map(({ name }) => name).join(', ')}`;
  if (backend.type === 'scripted') return `${backend.type} ${backend.file}, ${models}`;
  const key = backend.apiKeyEnv === undefined ? 'no key' : `key in $${backend.apiKeyEnv}`;
  return `${backend.type} ${backend.baseUrl}, ${key}, ${models}`;
}

/** What agents reach beyond this host: search engines, MCP servers, and tools of plugins. */
function reachRows(loaded: Loaded): ShownRow[] {
  const { web, pins } = loaded.tables;
  return [
    ...web.search.map(({ type, baseUrl, apiKeyEnv }, index) => {
      const parts = [type, baseUrl, apiKeyEnv === undefined ? undefined : `key in $${apiKeyEnv}`];
      return row(loaded, ['web', 'search', index], parts.filter((part) => part !== undefined).join(', '));
    }),
    ...loaded.mcp.imports.map((path, index) => row(loaded, ['mcp', 'import', index], path)),
    ...[...loaded.mcp.maySend].map(([origin, variables]) =>
      row(loaded, ['mcp', 'import_may_send', origin], variables.join(', ')),
    ),
    ...loaded.mcp.servers.map((server, index) => ({
      ...row(
        loaded,
        ['mcp', 'servers', index],
        // Its arguments may hold what its owner would not print.
        server.kind === 'http' ? server.url : `${server.command}, ${server.args.length} arguments`,
      ),
      key: `mcp.servers.${server.name}`,
    })),
    ...pins.map(({ runner, plugin, tool, name, agents }, index) => ({
      ...row(
        loaded,
        ['plugins', 'pinned', index],
        `${runner}/${plugin}/${tool}${agents === undefined ? '' : `, for ${agents.join(' ')}`}`,
      ),
      key: `plugins.pinned.${name}`,
    })),
  ];
}

function agentRows(loaded: Loaded): ShownRow[] {
  const { agents, groups } = loaded.tables.agents;
  return [
    ...agents.map(({ name, fields, promptFiles, extensionsOff }, index) => {
      const parts = Object.entries(fields).map(([field, value]) =>
        typeof value === 'string' && field === 'system_prompt'
          ? `${field} of ${value.length} characters`
          : `${field} ${typeof value === 'string' ? value : JSON.stringify(value)}`,
      );
      if (promptFiles.length > 0) parts.push(`system_prompt_files ${promptFiles.join(' ')}`);
      if (extensionsOff !== undefined) parts.push(`extensions_off ${extensionsOff.join(' ')}`);
      return { ...row(loaded, ['agents', index], parts.join(', ') || 'as they come'), key: `agents.${name}` };
    }),
    ...[...groups].map(([name, members]) => row(loaded, ['agent_groups', name], members.join(', '))),
  ];
}
