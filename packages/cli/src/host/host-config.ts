import { join, resolve } from 'node:path';
import { FairleadError } from '@fairlead/base';
import { type HostConfigReading, readHostConfig } from '@fairlead/gateway';
import type { CommandContext } from '../command-context.ts';

/** The flags of `up`, `serve` and `config show` that lay over `fairlead.toml`. */
export type HostConfigFlags = {
  readonly config?: string;
  readonly bind?: string;
  readonly port?: number;
  readonly allowRemote?: boolean;
};

/**
 * Reads `fairlead.toml` with environment and flags laid over it, and prints its warnings. Throws the gateway's
 * configuration codes.
 */
export async function loadHostConfig(
  context: CommandContext,
  stateDirectory: string,
  flags: HostConfigFlags,
): Promise<HostConfigReading & { readonly ok: true }> {
  const { config, bind, port, allowRemote } = flags;
  const reading = await readHostConfig({
    path: config === undefined ? join(stateDirectory, 'fairlead.toml') : resolve(context.cwd, config),
    isNamed: config !== undefined,
    env: context.env,
    flags: { bind, port, allowRemote },
  });
  if (!reading.ok) throw new FairleadError(reading.fault.code, reading.fault.message);
  for (const warning of reading.warnings) context.stderr(`fairlead: ${warning.message}\n`);
  return reading;
}
