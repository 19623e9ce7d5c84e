import { resolveExecutable } from '@fairlead/process';

/** The bubblewrap program of the PATH, by which commands are kept to their folders; null where the machine has none. */
export async function findBubblewrap(
  env: Readonly<Record<string, string | undefined>>,
  platform: NodeJS.Platform,
): Promise<string | null> {
  if (platform !== 'linux') return null;
  const found = await resolveExecutable({
    command: 'bwrap',
    cwd: '/',
    env: { PATH: env['PATH'] ?? '' },
    platform,
  });
  return found.ok ? found.path : null;
}
