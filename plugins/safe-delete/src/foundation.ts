import { posixEnvironment } from './child-environment.ts';
import type { ProgramBackendOptions } from './desktop-programs.ts';
import type { TrashBackend } from './trash-backend.ts';

const OSASCRIPT = '/usr/bin/osascript';

// NSFileManager itself: unlike the Finder it asks for no permission and shows nothing. An exception makes osascript end with 1.
const SCRIPT = `ObjC.import('Foundation');
function run(argv) {
  const url = $.NSURL.fileURLWithPath(argv[0]);
  if (!$.NSFileManager.defaultManager.trashItemAtURLResultingItemURLError(url, null, null)) throw new Error('refused');
}`;

/** The Trash of macOS. The path is an argument of the script, never a part of it. */
export function foundationTrash({ disk, env, run }: ProgramBackendOptions): TrashBackend {
  return {
    name: 'foundation',
    async run(target, signal) {
      if (!(await disk.isProgram(OSASCRIPT))) return 'unavailable';
      const program = {
        command: OSASCRIPT,
        args: ['-l', 'JavaScript', '-e', SCRIPT, target.path],
        cwd: '/',
        env: posixEnvironment(env),
      };
      const end = await run(program, signal);
      return end.started && end.code === 0 ? 'done' : 'failed';
    },
  };
}
