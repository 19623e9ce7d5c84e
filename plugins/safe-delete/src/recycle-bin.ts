import { dirname, join } from 'node:path/win32';
import { windowsEnvironment } from './child-environment.ts';
import type { ProgramBackendOptions } from './desktop-programs.ts';
import { findProgram } from './find-program.ts';
import { EXIT_DECLINED, EXIT_LOST, PATH_VARIABLE, RECYCLE_SCRIPT } from './recycle-bin-script.ts';
import type { ProgramEnd } from './run-program.ts';
import type { BackendReport, TrashBackend } from './trash-backend.ts';

/** The Recycle Bin of Windows, through PowerShell. The path is in a variable, never a part of the script. */
export function recycleBin({ disk, env, run }: ProgramBackendOptions): TrashBackend {
  return {
    name: 'powershell',
    async run(target, signal) {
      const command = await powerShell({ disk, env });
      if (command === null) return 'unavailable';
      const program = {
        command,
        // The shell's file operations want a single-threaded apartment.
        args: ['-NoLogo', '-NoProfile', '-NonInteractive', '-Sta', '-Command', RECYCLE_SCRIPT],
        cwd: dirname(command),
        env: { ...windowsEnvironment(env), [PATH_VARIABLE]: target.path },
      };
      return reported(await run(program, signal));
    },
  };
}

function reported(end: ProgramEnd): BackendReport {
  if (!end.started) return 'failed';
  if (end.code === EXIT_DECLINED) return 'declined';
  if (end.code === EXIT_LOST) return 'unsure';
  return end.code === 0 ? 'done' : 'failed';
}

// Windows would look for a bare name in the working folder first.
async function powerShell({
  disk,
  env,
}: Pick<ProgramBackendOptions, 'disk' | 'env'>): Promise<string | null> {
  const systemRoot = env['SYSTEMROOT'] ?? env['SystemRoot'];
  if (systemRoot !== undefined) {
    const own = join(systemRoot, 'System32', 'WindowsPowerShell', 'v1.0', 'powershell.exe');
    if (await disk.isProgram(own)) return own;
  }
  const options = { disk, searchPath: env['PATH'] ?? env['Path'], style: 'windows' } as const;
  return (await findProgram('powershell.exe', options)) ?? (await findProgram('pwsh.exe', options));
}
