// The command's entry, plain JavaScript so that the compile cache is on before any TypeScript is read.
import module from 'node:module';
import { join } from 'node:path';

const cloneRoot = join(import.meta.dirname, '../../..');
module.enableCompileCache(join(cloneRoot, 'node_modules/.cache/fairlead'));
const { main } = await import('../src/main.ts');
process.exitCode = await main(process.argv.slice(2), { cloneRoot });
