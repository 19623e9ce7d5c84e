import { join, resolve } from 'node:path';
import { FairleadError } from '@fairlead/base';
import { type HostConfigReading, readHostConfig } from '@fairlead/gateway';
import type { ExtensionTables } from '@fairlead/hub';
import type { CommandContext } from '../command-context.ts';
import { extensionKeys, extensionTablesOf } from '../extensions/extension-tables.ts';

/** The flags of `up`, `serve` and `config show` that lay over `fairlead.toml`. */
export type HostConfigFlags = {
  readonly config?: string;
  readonly bind?: string;
  readonly port?: number;
  readonly allowRemote?: boolean;
};

/**
 * Reads `fairlead.toml` with environment and flags laid over it, what it says about extensions too, and prints its warnings.
 * Throws the gateway's configuration codes.
 */
export async function loadHostConfig(
  context: CommandContext,
  stateDirectory: string,
  flags: HostConfigFlags,
): Promise<
  HostConfigReading & { readonly ok: true; readonly path: string; readonly extensions: ExtensionTables }
> {
  const { config, bind, port, allowRemote } = flags;
  const path = config === undefined ? join(stateDirectory, 'fairlead.toml') : resolve(context.cwd, config);
  const reading = await readHostConfig({
    path,
    readElsewhere: extensionKeys,
    isNamed: config !== undefined,
    env: context.env,
    flags: { bind, port, allowRemote },
  });
  if (!reading.ok) throw new FairleadError(reading.fault.code, reading.fault.message);
  const warn = (message: string) => context.stderr(`fairlead: ${message}\n`);
  for (const { message } of reading.warnings) warn(message);
  return { ...reading, path, extensions: extensionTablesOf(reading, warn) };
}
