import { HOOK_KINDS } from '../contracts/hook-kinds.ts';
import { plainJson } from '../json/plain-json.ts';
import { budgets, manifestLimits, VALUE_BOUNDS } from '../limits.ts';
import { compileSchema } from '../schema/compile-schema.ts';
import { below } from '../schema/schema-fault.ts';
import { isHostOnly, isProvidable } from './kinds.ts';
import { API_VERSION, type CapabilityRequest, type Manifest } from './manifest.ts';
import { Broken, type ManifestCheck, type ManifestFault } from './manifest-fault.ts';
import { checkShape } from './manifest-shape.ts';
import { isCommandName, isExtensionName, isGate, isRoutineId, isSettingsKey, isToolName } from './names.ts';

export type ManifestReading =
  | { readonly ok: true; readonly manifest: Manifest }
  | { readonly ok: false; readonly fault: ManifestFault };

/**
 * Reads a manifest that may come from anywhere; the first broken rule wins. The order: its shape, the API version, then an
 * empty name, what is provided (host-only, twice), hooks twice, requests twice in `requires`, then in `requests` twice or
 * also required; then names, bounds and schemas. docs/reference/extension-api.md lists the rules.
 */
export function validateManifest(value: unknown): ManifestReading {
  const plain = plainJson(value, { ...VALUE_BOUNDS, maxBytes: manifestLimits.maxBytes });
  try {
    if (!plain.ok) throw new Broken('shape', plain.path, plain.message);
    checkShape(plain.value);
    const manifest = plain.value as unknown as Manifest;
    if (manifest.api !== API_VERSION)
      throw new Broken(
        'shape',
        '/api',
        `must be ${API_VERSION}, the version that this host speaks`,
        'api_unsupported',
      );
    checkRelations(manifest);
    checkNames(manifest);
    checkContents(manifest);
    return { ok: true, manifest };
  } catch (thrown) {
    if (thrown instanceof Broken) return { ok: false, fault: thrown.fault };
    throw thrown;
  }
}

/** The checks that a manifest has had from the beginning, in their order. */
function checkRelations({ name, provides, hooks, requires, requests }: Manifest): void {
  if (name === '') throw new Broken('empty_name', '/name', 'must not be empty');
  const provided = new Set<string>();
  for (const [index, kind] of provides.entries()) {
    const path = below('/provides', index);
    if (isHostOnly(kind)) throw new Broken('host_only_in_provides', path, 'is offered by the host alone');
    if (provided.has(kind)) throw new Broken('duplicate_provides', path, 'is provided twice');
    provided.add(kind);
  }
  const declared = new Set<string>();
  for (const [index, kind] of hooks.entries()) {
    if (declared.has(kind)) throw new Broken('duplicate_hook', below('/hooks', index), 'is declared twice');
    declared.add(kind);
  }
  const required = new Set<string>();
  for (const [index, request] of requires.entries()) {
    const need = needOf(request);
    if (required.has(need))
      throw new Broken('duplicate_request', below('/requires', index), 'stands twice in requires');
    required.add(need);
  }
  const requested = new Set<string>();
  for (const [index, request] of requests.entries()) {
    const path = below('/requests', index);
    const need = needOf(request);
    if (requested.has(need)) throw new Broken('duplicate_request', path, 'stands twice in requests');
    if (required.has(need))
      throw new Broken('required_and_requested', path, 'is required and requested alike');
    requested.add(need);
  }
}

/** One text for each need: comparing every pair would let a manifest of its largest size hold the host's thread for a minute. */
function needOf({ kind, provider, agents }: CapabilityRequest): string {
  return JSON.stringify([kind, provider ?? null, agents ?? null]);
}

function checkNames(manifest: Manifest): void {
  const { name, version, scopes, hooks, gates } = manifest;
  if (!isExtensionName(name))
    throw new Broken(
      'name',
      '/name',
      'must be a small letter and up to 39 small letters, digits, _ or -, and not "path"',
    );
  if (version === '' || version.length > manifestLimits.maxVersion || !/^[\x21-\x7e]+$/.test(version))
    throw new Broken(
      'name',
      '/version',
      `must be 1 to ${manifestLimits.maxVersion} printable ASCII characters without space`,
    );
  if (scopes.length === 0) throw new Broken('scopes', '/scopes', 'must name a scope');
  for (const [index, scope] of scopes.entries()) {
    if (!['global', 'agent', 'session'].includes(scope) || scopes.indexOf(scope) !== index)
      throw new Broken('scopes', below('/scopes', index), 'must be global, agent or session, once');
  }
  for (const [index, kind] of hooks.entries())
    if (!(HOOK_KINDS as readonly string[]).includes(kind))
      throw new Broken('hooks', below('/hooks', index), 'is not a kind of hook');
  for (const [index, gate] of (gates ?? []).entries())
    if (!isGate(gate))
      throw new Broken('gates', below('/gates', index), 'must be a tool name, or a prefix with *');
  if ((gates?.length ?? 0) > manifestLimits.maxGates)
    throw new Broken('gates', '/gates', `must not have more than ${manifestLimits.maxGates} entries`);
  checkKinds(manifest);
}

function checkKinds({ requires, requests, provides }: Manifest): void {
  for (const [list, entries] of [
    ['/requires', requires],
    ['/requests', requests],
  ] as const) {
    for (const [index, { kind, provider, agents }] of entries.entries()) {
      const path = below(list, index);
      if (!isHostOnly(kind) && !isProvidable(kind))
        throw new Broken('capability', below(path, 'kind'), 'is no kind of the host and no custom one');
      if (provider !== undefined && (isHostOnly(kind) || !isExtensionName(provider)))
        throw new Broken(
          'capability',
          below(path, 'provider'),
          'must name an extension, and only for what extensions provide',
        );
      if (agents !== undefined && kind !== 'agent_state_admin')
        throw new Broken('capability', below(path, 'agents'), 'belongs to agent_state_admin alone');
    }
  }
  for (const [index, kind] of provides.entries())
    if (!isProvidable(kind))
      throw new Broken(
        'capability',
        below('/provides', index),
        'is neither a known kind nor two or more names joined by dots',
      );
  const caps = provides.filter((kind) => kind.includes('.') || kind === 'messenger' || kind === 'memory');
  if (caps.length > manifestLimits.maxCaps)
    throw new Broken('capability', '/provides', `must not have more than ${manifestLimits.maxCaps} caps`);
}

function checkContents(manifest: Manifest): void {
  const { hooks, settings, tools, commands, routines } = manifest;
  checkSchema('settings', settings, '/settings');
  for (const key of Object.keys(settings.properties ?? {}))
    if (!isSettingsKey(key))
      throw new Broken(
        'settings',
        below('/settings/properties', key),
        'must be a letter and up to 63 letters, digits or _',
      );
  checkEndpoints('tools', tools, manifest, isToolName, manifestLimits.maxTools);
  checkEndpoints('commands', commands, manifest, isCommandName, manifestLimits.maxCommands);
  if (tools.length > 0 && !hooks.includes('tool'))
    throw new Broken('hooks', '/hooks', 'must declare tool, because there are tools');
  if (commands.length > 0 && !hooks.includes('command'))
    throw new Broken('hooks', '/hooks', 'must declare command, because there are commands');
  checkRoutines(routines, manifest);
}

function checkEndpoints(
  check: 'tools' | 'commands',
  endpoints: Manifest['tools'],
  { scopes }: Manifest,
  isName: (name: string) => boolean,
  most: number,
): void {
  const names = new Set(endpoints.map(({ name }) => name));
  if (names.size > most) throw new Broken(check, `/${check}`, `must not have more than ${most} names`);
  for (const [index, { name, about, args, scope }] of endpoints.entries()) {
    const path = below(`/${check}`, index);
    if (!isName(name)) throw new Broken(check, below(path, 'name'), 'does not fit the pattern of such names');
    if (about.trim() === '' || about.length > manifestLimits.maxAbout)
      throw new Broken(check, below(path, 'about'), `must be 1 to ${manifestLimits.maxAbout} characters`);
    if (!scopes.includes(scope)) throw new Broken(check, below(path, 'scope'), 'must be one of the scopes');
    if (endpoints.findIndex((other) => other.name === name && other.scope === scope) !== index)
      throw new Broken(check, below(path, 'name'), 'stands twice at one scope');
    checkSchema(check, args, below(path, 'args'));
  }
}

function checkSchema(check: ManifestCheck, schema: unknown, path: string): void {
  const compiled = compileSchema(schema);
  if (!compiled.ok) throw new Broken(check, `${path}${compiled.fault.path}`, compiled.fault.message);
  if (compiled.schema.node.type !== 'object')
    throw new Broken(check, path, 'must be a schema of an object at its root');
}

function checkRoutines(routines: Manifest['routines'], { scopes }: Manifest): void {
  if (routines.length > manifestLimits.maxRoutines)
    throw new Broken('routines', '/routines', `must not have more than ${manifestLimits.maxRoutines}`);
  for (const [index, { id, cron, every_ms: everyMs, scope }] of routines.entries()) {
    const path = below('/routines', index);
    if (!isRoutineId(id))
      throw new Broken('routines', below(path, 'id'), 'does not fit the pattern of such ids');
    if (!scopes.includes(scope))
      throw new Broken('routines', below(path, 'scope'), 'must be one of the scopes');
    if (routines.findIndex((other) => other.id === id && other.scope === scope) !== index)
      throw new Broken('routines', below(path, 'id'), 'stands twice at one scope');
    if (cron !== undefined && everyMs !== undefined)
      throw new Broken('routines', path, 'must not have both cron and every_ms');
    if (everyMs !== undefined && !(Number.isInteger(everyMs) && everyMs >= budgets.toolMinMs))
      throw new Broken(
        'routines',
        below(path, 'every_ms'),
        `must be an integer of ${budgets.toolMinMs} or more`,
      );
    if (cron !== undefined && ![5, 6, 7].includes(cron.trim().split(/\s+/).length))
      throw new Broken('routines', below(path, 'cron'), 'must have 5, 6 or 7 fields');
  }
}
