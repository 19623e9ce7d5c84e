import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { cliError } from '../cli-error.ts';

const packTimeoutMs = 60_000;

/**
 * Packs one of the clone's packages for authors as npm would publish it and lays it at `target`. Nothing is fetched and no
 * script is run. Throws `sdk_not_packed`.
 */
export async function packPackage(options: {
  readonly cloneRoot: string;
  /** Within the clone. */
  readonly folder: 'packages/plugin-sdk' | 'packages/extension';
  readonly target: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}): Promise<void> {
  const { cloneRoot, folder, target, env } = options;
  const source = join(cloneRoot, folder);
  if (!existsSync(join(source, 'dist/index.js'))) {
    throw cliError('sdk_not_packed', {
      message: 'The package for authors does not stand beside this command.',
    });
  }
  const aside = await mkdtemp(join(tmpdir(), 'fairlead-sdk-'));
  try {
    await npmPack(source, aside, env);
    const [packed] = (await readdir(aside)).filter((name) => name.endsWith('.tgz'));
    if (packed === undefined) throw cliError('sdk_not_packed');
    await mkdir(dirname(target), { recursive: true });
    await copyFile(join(aside, packed), target);
  } finally {
    await rm(aside, { recursive: true, force: true });
  }
}

function npmPack(
  source: string,
  destination: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const args = ['pack', source, '--pack-destination', destination, '--ignore-scripts', '--silent'];
  // npm's cache and log go to the folder that is removed: a read-only home must not stop a scaffold.
  const packEnv = { ...env, npm_config_cache: join(destination, 'cache'), npm_config_offline: 'true' };
  return new Promise((resolve, reject) => {
    execFile('npm', args, { env: packEnv, timeout: packTimeoutMs, cwd: destination }, (error) => {
      if (error === null) resolve();
      else reject(cliError('sdk_not_packed', { cause: error }));
    });
  });
}
