import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';

/** As for `child_process.spawn`; the user is not a choice. */
export type NobodyOptions = Omit<SpawnOptions, 'uid' | 'gid'>;

const NOBODY = 65_534;

/**
 * Spawns a program as uid and gid 65534, so that file permissions hold for it. A test process that is itself not root
 * spawns it as its own user: permissions hold for that one too.
 */
export function spawnAsNobody(
  command: string,
  args: readonly string[],
  options: NobodyOptions = {},
): ChildProcess {
  const user = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  // Nobody may not write where this run collects its coverage.
  const env = { ...(options.env ?? process.env), NODE_V8_COVERAGE: undefined };
  return spawn(command, args, { ...options, env, ...user });
}
