// format.ts: writes the format, and what the linter can mend without changing behaviour.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { root } from './checks.ts';

const biome = join(root, 'node_modules/@biomejs/biome/bin/biome');
const { status } = spawnSync(process.execPath, [biome, 'check', '--write'], { cwd: root, stdio: 'inherit' });
process.exitCode = status ?? 1;
