// @ts-check
// Imported by each test process before its test file (tools/test.ts). Most of what a test file costs is the reading of some hundred
// TypeScript files and where their imports point; both are remembered here, by the digest of a file's text. V8's own compile cache is no
// choice: functions that come out of it are counted less exactly. Positions stay, because types are replaced by spaces.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import module from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = join(import.meta.dirname, '..');
const own = `${pathToFileURL(root).href}/`;
const cache = join(root, 'node_modules/.cache/fairlead-tests', process.versions.node);
mkdirSync(cache, { recursive: true });

module.registerHooks({
  load(url, context, next) {
    const isOurs = url.startsWith(own) && url.endsWith('.ts') && !url.includes('/node_modules/');
    if (!isOurs) return next(url, context);
    return {
      format: 'module',
      source: withoutTypes(readFileSync(fileURLToPath(url), 'utf8')),
      shortCircuit: true,
    };
  },
});
const { ownModules } = await import('../packages/cli/src/process/own-modules.ts');
module.registerHooks({ resolve: ownModules(`${own}packages/`) });

// The programs that a test starts are to start as fast as a user's do. What they compile at once, the code of a module outside its functions, is
// counted as a whole then; functions, and everything in a test's own process, are counted as without a cache.
delete process.env['NODE_DISABLE_COMPILE_CACHE'];
process.env['NODE_COMPILE_CACHE'] ??= join(root, 'node_modules/.cache/fairlead');

/** @param {string} source */
function withoutTypes(source) {
  const kept = join(cache, createHash('sha256').update(source).digest('hex'));
  try {
    return readFileSync(kept, 'utf8');
  } catch {
    const plain = module.stripTypeScriptTypes(source);
    const own = `${kept}.${process.pid}`;
    writeFileSync(own, plain);
    renameSync(own, kept);
    return plain;
  }
}
