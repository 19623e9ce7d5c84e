import type { JsonObject } from '@fairlead/base';
import type { ProviderRow } from '@fairlead/protocol';

/** The plugins of one Runner as callers see them. */
export function pluginsOf(rows: readonly ProviderRow[]): JsonObject[] {
  return rows.map(({ id, name, status, error_code }) => ({
    plugin: id,
    name,
    status,
    errorCode: error_code,
  }));
}
