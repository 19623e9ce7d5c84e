import { type Environment, posixEnvironment } from './child-environment.ts';
import type { Disk } from './disk.ts';
import { findProgram } from './find-program.ts';
import type { RunProgram } from './run-program.ts';
import type { TrashBackend } from './trash-backend.ts';

export interface ProgramBackendOptions {
  readonly disk: Disk;
  readonly env: Environment;
  readonly run: RunProgram;
}

/** `gio trash`, which also knows the trash of other file systems than the home's. */
export function gioTrash(options: ProgramBackendOptions): TrashBackend {
  return desktopProgram('gio', ['trash'], options);
}

/** `trash-put` of trash-cli. */
export function trashPut(options: ProgramBackendOptions): TrashBackend {
  return desktopProgram('trash-put', [], options);
}

function desktopProgram(
  name: 'gio' | 'trash-put',
  args: readonly string[],
  { disk, env, run }: ProgramBackendOptions,
): TrashBackend {
  return {
    name,
    async run(target, signal) {
      const command = await findProgram(name, { disk, searchPath: env['PATH'], style: 'posix' });
      if (command === null) return 'unavailable';
      const end = await run(
        {
          command,
          // Started in the held folder and given a bare name, so that no link that has come into the path meanwhile is
          // followed. With "./" a name is taken for neither an option nor an address.
          args: [...args, '--', `./${target.name}`],
          cwd: target.parent.workingPath,
          // The file system itself, not the desktop's services: those would be started by this and outlive it.
          env: { ...posixEnvironment(env), GIO_USE_VFS: 'local' },
        },
        signal,
      );
      return end.started && end.code === 0 ? 'done' : 'failed';
    },
  };
}
