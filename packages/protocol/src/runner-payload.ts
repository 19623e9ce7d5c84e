import { isJsonObject, type Json, type JsonObject } from '@fairlead/base';
import { z } from 'zod';
import { type CallOutcome, readCallOutcome } from './call-outcome.ts';
import { type CheckPhase, checkPhases } from './check-phases.ts';
import {
  type ConfigCheck,
  type ConfigReload,
  configCheckPayload,
  configReloadPayload,
} from './config-report.ts';
import { type Diagnostic, isDiagnostic } from './diagnostics.ts';
import { catalogLimits, providerLimits, REPORT_DETAIL_MAX_BYTES, timeoutLimits } from './limits.ts';
import {
  isCode,
  isOpaqueId,
  isProviderId,
  isProviderName,
  isText,
  isToolName,
  isToolTitle,
} from './names.ts';
import { type ProjectCatalog, projectCatalogPayload } from './project-catalog.ts';
import {
  codeExactlyWhenFailed,
  type ProviderRow,
  type ProviderStatus,
  providerRows,
  statusWithCode,
} from './provider-row.ts';

/** One tool of a frozen catalog, with the longest time that a call of it may take. */
export type CatalogTool = {
  readonly definition: JsonObject;
  readonly observation: string;
  readonly timeout_secs: number;
};

/** What a check found. Ready: no code, detail or diagnostic. Not ready: a code and no tools. */
export type CheckReport = {
  readonly kind: 'check';
  readonly provider: string;
  readonly ready: boolean;
  readonly phase: CheckPhase;
  readonly code?: string;
  readonly detail?: string;
  readonly diagnostic?: Diagnostic;
  readonly tools: readonly { readonly name: string; readonly title?: string }[];
};

/** What a Runner answers when nothing went wrong (docs/reference/native-plugin-protocol.md §15). */
export type RunnerPayload =
  | { readonly kind: 'providers_list'; readonly providers: readonly ProviderRow[] }
  | {
      readonly kind: 'tools_list';
      readonly provider: string;
      readonly provider_instance: string | null;
      readonly name: string;
      readonly status: ProviderStatus;
      readonly error_code: string | null;
      readonly tools: readonly CatalogTool[];
    }
  | { readonly kind: 'tools_call'; readonly result: JsonObject }
  | CheckReport
  | {
      readonly kind: 'reload';
      readonly providers: readonly ProviderRow[];
      readonly failures: readonly { readonly provider_id: string; readonly code: string }[];
    }
  | ProjectCatalog
  | ConfigCheck
  | ConfigReload
  | CallOutcome;

/** Holds a parsed value against the payload kinds; unknown kinds and members are refused with null. */
export function readRunnerPayload(value: Json): RunnerPayload | null {
  if (!isJsonObject(value)) return null;
  // The answer of a call passes here each time and has two members.
  if (value['kind'] === 'tools_call') {
    return Object.keys(value).length === 2 && isJsonObject(value['result']) ? (value as RunnerPayload) : null;
  }
  if (value['kind'] === 'outcome') return readCallOutcome(value);
  return metadataPayload.safeParse(value).success ? (value as RunnerPayload) : null;
}

const providerId = z.custom<string>(isProviderId);
const code = z.custom<string>(isCode);
const catalogTools = z
  .array(
    z.strictObject({
      definition: z.custom<JsonObject>(isJsonObject),
      observation: z.custom<string>(isOpaqueId),
      timeout_secs: z.int().min(timeoutLimits.minSecs).max(timeoutLimits.maxSecs),
    }),
  )
  .max(catalogLimits.maxTools);

const metadataPayload = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('providers_list'), providers: providerRows }),
  z
    .strictObject({
      kind: z.literal('tools_list'),
      provider: providerId,
      provider_instance: z.custom<string>(isOpaqueId).nullable(),
      name: z.custom<string>(isProviderName),
      ...statusWithCode,
      tools: catalogTools,
    })
    .refine(codeExactlyWhenFailed),
  z
    .strictObject({
      kind: z.literal('check'),
      provider: providerId,
      ready: z.boolean(),
      phase: z.enum(checkPhases),
      code: code.optional(),
      detail: z.custom<string>((value) => isText(value, 1, REPORT_DETAIL_MAX_BYTES)).optional(),
      diagnostic: z
        .strictObject({ code: z.string(), tool: z.string().optional(), field: z.string().optional() })
        .refine(isDiagnostic)
        .optional(),
      tools: z
        .array(
          z.strictObject({
            name: z.custom<string>(isToolName),
            title: z.custom<string>(isToolTitle).optional(),
          }),
        )
        .max(catalogLimits.maxTools),
    })
    .refine(isConsistentReport),
  z.strictObject({
    kind: z.literal('reload'),
    providers: providerRows,
    failures: z.array(z.strictObject({ provider_id: providerId, code })).max(providerLimits.maxProviders),
  }),
  projectCatalogPayload,
  configCheckPayload,
  configReloadPayload,
]);

function isConsistentReport(report: {
  readonly ready: boolean;
  readonly phase: string;
  readonly code?: string | undefined;
  readonly detail?: string | undefined;
  readonly diagnostic?: unknown;
  readonly tools: readonly unknown[];
}): boolean {
  if (report.ready) {
    const silent =
      report.code === undefined && report.detail === undefined && report.diagnostic === undefined;
    return report.phase === 'ready' && silent;
  }
  if (report.phase === 'ready' || report.code === undefined || report.tools.length > 0) return false;
  if (report.diagnostic === undefined) return true;
  return report.phase === 'validation' && report.code === 'plugin_tools_list_invalid';
}
