import type { Platform } from '../platform.ts';
import { type FileView, machineFiles } from './file-view.ts';
import { findOnUnix } from './unix-lookup.ts';
import { findOnWindows } from './windows-lookup.ts';

export type ExecutableRequest = {
  /** A bare name, a path relative to `cwd`, or an absolute path. */
  readonly command: string;
  /** The provider's folder, absolute. */
  readonly cwd: string;
  /** The provider's own environment: its PATH decides, not the Runner's. */
  readonly env: Readonly<Record<string, string>>;
  readonly platform: Platform;
  readonly fs?: FileView;
};

export type ExecutableAnswer =
  | { readonly ok: true; readonly path: string }
  | { readonly ok: false; readonly code: 'plugin_executable_unsupported' | 'plugin_executable_unavailable' };

/**
 * Finds the file that a provider's command names, as docs/reference/native-plugin-protocol.md says. No shell takes part, and
 * nothing is started.
 *
 * Codes: `plugin_executable_unavailable` nothing executable has this name · `plugin_executable_unsupported` a Windows batch file.
 */
export function resolveExecutable(request: ExecutableRequest): Promise<ExecutableAnswer> {
  const { fs = machineFiles(), platform } = request;
  return platform === 'win32' ? findOnWindows(request, fs) : findOnUnix(request, fs);
}
