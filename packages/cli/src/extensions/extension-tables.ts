import { FairleadError } from '@fairlead/base';
import type { HostConfigReading } from '@fairlead/gateway/config';
import { type ExtensionTables, readExtensionTables } from '@fairlead/hub';

/** The tables and keys of `fairlead.toml` that are about extensions. */
export const extensionKeys: readonly string[] = ['extensions', 'policy.agent_state'];

/** What `fairlead.toml` says about extensions. Throws `host_config_invalid`, with the line. */
export function extensionTablesOf(
  { document, refuse }: HostConfigReading & { readonly ok: true },
  warn: (message: string) => void,
): ExtensionTables {
  const reading = readExtensionTables(document);
  if (!reading.ok) {
    const { code, message } = refuse(reading.at, reading.problem);
    throw new FairleadError(code, message);
  }
  for (const { at, message } of reading.notices) warn(refuse(at, message).message);
  return reading.tables;
}
