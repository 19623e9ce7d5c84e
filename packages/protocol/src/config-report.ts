import { z } from 'zod';
import { configReportLimits, providerLimits } from './limits.ts';
import { isCode, isProviderId } from './names.ts';
import { type ProviderRow, providerRows } from './provider-row.ts';

/** Whether a changed key takes effect by a reload of the configuration, or only when the Runner is started again. */
export type FieldEffect = 'live' | 'restart_only';

/** One key of `runner.toml` whose value differs from the one in force. No value is told, and no path. */
export type ChangedField = { readonly field: string; readonly applies: FieldEffect };

/** A key with the line that it stands on, where it has a line of its own. */
export type FieldPlace = { readonly field: string; readonly line?: number };

/** What `config_check` found in the file. Nothing was started, nothing was changed. */
export type ConfigCheck = {
  readonly kind: 'config_check';
  /** Counts the configurations that were in force since the Runner's start, from 1. */
  readonly generation: number;
  readonly valid: boolean;
  /** A `plugin_config_*` code, exactly where the file is not valid. */
  readonly code?: string;
  /** Keys that make the file invalid; at most 8. */
  readonly faults: readonly FieldPlace[];
  /** Keys that have no effect: unknown ones, and those of other systems; at most 32. */
  readonly ignored: readonly FieldPlace[];
  /** At most 256; `changed_count` counts all. */
  readonly changed: readonly ChangedField[];
  readonly changed_count: number;
  /** Whether a reload of the configuration would start the plugins anew. */
  readonly restarts_plugins: boolean;
};

/** What `config_reload` came to. With `failures` nothing was applied. */
export type ConfigReload = {
  readonly kind: 'config_reload';
  /** That of the configuration now in force. */
  readonly generation: number;
  /** Whether anything was applied: every changed key that is `live`, or none. */
  readonly applied: boolean;
  readonly changed: readonly ChangedField[];
  readonly changed_count: number;
  /** Whether the plugins in force are new instances. */
  readonly plugins_restarted: boolean;
  readonly providers: readonly ProviderRow[];
  readonly failures: readonly { readonly provider_id: string; readonly code: string }[];
};

const FIELD = /^[A-Za-z0-9_.[\]*-]+$/;

/** True for the name of a configuration key as reports write it: 1 to 256 of `A-Z a-z 0-9 _ . - [ ] *`. */
export function isConfigField(value: unknown): value is string {
  return typeof value === 'string' && value.length <= configReportLimits.fieldMaxLength && FIELD.test(value);
}

const field = z.custom<string>(isConfigField);
const count = z.int().min(0);
const place = z.strictObject({ field, line: z.int().min(1).optional() });
const changes = {
  changed: z
    .array(z.strictObject({ field, applies: z.enum(['live', 'restart_only']) }))
    .max(configReportLimits.maxChanged),
  changed_count: count,
};
const code = z.custom<string>(isCode);

/** The payload of `config_check` as it stands on the link. */
export const configCheckPayload = z
  .strictObject({
    kind: z.literal('config_check'),
    generation: z.int().min(1),
    valid: z.boolean(),
    code: code.optional(),
    faults: z.array(place).max(configReportLimits.maxFaults),
    ignored: z.array(place).max(configReportLimits.maxIgnored),
    ...changes,
    restarts_plugins: z.boolean(),
  })
  .refine(({ valid, code: why, faults, changed, changed_count: total, restarts_plugins: restarts }) => {
    if (changed.length > total || valid !== (why === undefined)) return false;
    return valid ? faults.length === 0 : total === 0 && !restarts;
  });

/** The payload of `config_reload` as it stands on the link. */
export const configReloadPayload = z
  .strictObject({
    kind: z.literal('config_reload'),
    generation: z.int().min(1),
    applied: z.boolean(),
    ...changes,
    plugins_restarted: z.boolean(),
    providers: providerRows,
    failures: z
      .array(z.strictObject({ provider_id: z.custom<string>(isProviderId), code }))
      .max(providerLimits.maxProviders),
  })
  .refine(({ applied, changed, changed_count: total, plugins_restarted: restarted, failures }) => {
    if (changed.length > total || (restarted && !applied)) return false;
    return failures.length === 0 || !applied;
  });
