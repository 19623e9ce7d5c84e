import { isJsonObject, type Json, type JsonObject } from '@fairlead/base';
import { isLinkName, isOpaqueId, isProviderId, isToolName } from './names.ts';

/** What a gateway may ask of a Runner (docs/reference/native-plugin-protocol.md §15). */
export type RunnerRequest =
  /** The committed providers. */
  | { readonly kind: 'providers_list' }
  /** One provider's frozen catalog. */
  | { readonly kind: 'tools_list'; readonly provider: string }
  /** One call, fenced by provider instance and observation. */
  | {
      readonly kind: 'tools_call';
      readonly provider: string;
      readonly provider_instance: string;
      readonly tool: string;
      readonly observation: string;
      readonly arguments: JsonObject;
    }
  /** Starts a candidate of one provider, admits its catalog, ends it. */
  | { readonly kind: 'check'; readonly provider: string }
  /** Starts a candidate of every configured provider and swaps the whole set, or changes nothing. */
  | { readonly kind: 'reload' }
  /** The tools of the providers that run in one project's folder. */
  | { readonly kind: 'project_catalog'; readonly project: string }
  /** Reads `runner.toml`, holds it against the configuration in force, changes nothing. */
  | { readonly kind: 'config_check' }
  /** Puts the whole file in force, its plugins as `reload` does where they differ, or changes nothing. */
  | { readonly kind: 'config_reload' }
  /** What became of a request with an effect that carried this `call`. */
  | { readonly kind: 'outcome'; readonly call: string };

/** How many members each kind has; every one of them is required, so the count forbids all others. */
const MEMBER_COUNTS: Readonly<Record<RunnerRequest['kind'], number>> = {
  providers_list: 1,
  tools_list: 2,
  tools_call: 6,
  check: 2,
  reload: 1,
  project_catalog: 2,
  config_check: 1,
  config_reload: 1,
  outcome: 2,
};

const EFFECTS: ReadonlySet<RunnerRequest['kind']> = new Set([
  'tools_call',
  'check',
  'reload',
  'config_reload',
]);

/** True where carrying it out may change something: a Runner keeps what became of it, and no `call` of it serves twice. */
export function hasEffect(request: RunnerRequest): boolean {
  return EFFECTS.has(request.kind);
}

/**
 * Holds a parsed value against the request kinds; unknown kinds and members are refused. Null means
 * `invalid_plugin_request`. Written by hand, because every call passes here.
 */
export function readRunnerRequest(value: Json | undefined): RunnerRequest | null {
  if (value === undefined || !isJsonObject(value)) return null;
  const kind = value['kind'];
  if (typeof kind !== 'string' || !Object.hasOwn(MEMBER_COUNTS, kind)) return null;
  const request = value as RunnerRequest;
  if (Object.keys(value).length !== MEMBER_COUNTS[request.kind]) return null;
  switch (request.kind) {
    case 'providers_list':
    case 'reload':
    case 'config_check':
    case 'config_reload':
      return request;
    case 'project_catalog':
      return isLinkName(request.project) ? request : null;
    case 'tools_list':
    case 'check':
      return isProviderId(request.provider) ? request : null;
    case 'outcome':
      return isOpaqueId(request.call) ? request : null;
    case 'tools_call':
      return isProviderId(request.provider) &&
        isOpaqueId(request.provider_instance) &&
        isToolName(request.tool) &&
        isOpaqueId(request.observation) &&
        isJsonObject(request.arguments)
        ? request
        : null;
  }
}
