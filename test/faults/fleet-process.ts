// fleet-process.ts RATE ARGS…: the `fairlead` command with the clock of the fault suite handed in, as any caller of it may. A message
// `{offsetMs}` over the channel to its parent sets the wall clock wrong; when the parent is gone, it ends.
import module from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const cloneRoot = join(import.meta.dirname, '../..');
module.enableCompileCache(join(cloneRoot, 'node_modules/.cache/fairlead'));
const { ownModules } = await import('../../packages/cli/src/process/own-modules.ts');
module.registerHooks({ resolve: ownModules(`${pathToFileURL(join(cloneRoot, 'packages')).href}/`) });
const { main } = await import('@fairlead/cli');
const { systemContext } = await import('../../packages/cli/src/process/system-context.ts');
const { standardOutput } = await import('../../packages/cli/src/process/standard-output.ts');
const { fastClock } = await import('./fast-clock.ts');

const [rate = '1', ...args] = process.argv.slice(2);
const clock = fastClock(Number(rate));
const context = { ...systemContext(cloneRoot, standardOutput()), clock };
process.on('message', ({ offsetMs }: { readonly offsetMs: number }) => {
  clock.offsetMs = offsetMs;
  process.send?.({ offsetMs });
});
process.on('disconnect', () => process.exit(1));
process.channel?.unref();
process.exitCode = await main(args, { cloneRoot, context });
