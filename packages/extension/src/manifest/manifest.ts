import type { ScopeKind } from '../authoring/scope.ts';
import type { JsonSchema } from '../schema/json-schema.ts';

/** The version of the extension API that this package speaks. */
export const API_VERSION = 1;

/** A need of an extension: a host-only kind, or a cap and, where it matters, who provides it. */
export interface CapabilityRequest {
  readonly kind: string;
  readonly provider?: string;
  /** For `agent_state_admin`: which agents; absent is all that the operator allows, empty none. */
  readonly agents?: readonly string[];
}

/** A tool or command as the manifest shows it. */
export interface ManifestEndpoint {
  readonly name: string;
  readonly about: string;
  readonly args: JsonSchema;
  readonly scope: ScopeKind;
}

/** A routine as the manifest shows it. */
export interface ManifestRoutine {
  readonly id: string;
  readonly cron?: string;
  readonly every_ms?: number;
  readonly scope: ScopeKind;
}

/** What an extension is and needs, as plain JSON: read before any of its code runs. */
export interface Manifest {
  readonly api: number;
  readonly name: string;
  readonly version: string;
  readonly scopes: readonly ScopeKind[];
  /** Of the eight kinds of {@link HOOK_KINDS}. */
  readonly hooks: readonly string[];
  /** Which tools the gate judges; absent is all. */
  readonly gates?: readonly string[];
  readonly requires: readonly CapabilityRequest[];
  readonly requests: readonly CapabilityRequest[];
  readonly provides: readonly string[];
  readonly settings: JsonSchema;
  readonly tools: readonly ManifestEndpoint[];
  readonly commands: readonly ManifestEndpoint[];
  readonly routines: readonly ManifestRoutine[];
}
