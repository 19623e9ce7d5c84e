// The command's entry, plain JavaScript so that the compile cache is on before any TypeScript is read.
import module from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

// An older Node stops at the first line of TypeScript, with a syntax error that explains nothing.
if (Number(process.versions.node.split('.')[0]) < 24) {
  process.stderr.write(
    `fairlead: This is Node ${process.versions.node}; Fairlead needs 24 or newer. (node_too_old)\n` +
      '  next: Start it through ./fairlead of the clone, which lays a Node beside it, or install Node 24.\n',
  );
  process.exit(1);
}

const cloneRoot = join(import.meta.dirname, '../../..');
module.enableCompileCache(join(cloneRoot, 'node_modules/.cache/fairlead'));
const { ownModules } = await import('../src/process/own-modules.ts');
module.registerHooks({ resolve: ownModules(`${pathToFileURL(join(cloneRoot, 'packages')).href}/`) });
const { main } = await import('../src/main.ts');
process.exitCode = await main(process.argv.slice(2), { cloneRoot });
