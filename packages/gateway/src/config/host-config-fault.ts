import type { TomlPath } from '@fairlead/base';
import type { GatewayErrorCode } from '../errors.ts';
import { type TomlDocument, writtenPath } from './toml-document.ts';

/** Why the host must not start. `line` is 1-based and present for faults of the file. No message quotes a value. */
export type HostConfigFault = {
  readonly code: GatewayErrorCode;
  readonly message: string;
  readonly line?: number;
  readonly key?: string;
};

/** A value of the file that this version reads and cannot use. */
export function invalidInFile(document: TomlDocument, path: TomlPath, problem: string): HostConfigFault {
  const line = document.lines.lineOf(path) ?? 1;
  const key = writtenPath(path);
  return { code: 'host_config_invalid', message: `fairlead.toml line ${line}: ${key} ${problem}`, line, key };
}
