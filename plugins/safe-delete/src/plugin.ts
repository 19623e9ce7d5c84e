import { definePlugin, runPlugin } from '@fairlead/plugin-sdk';
import { backendsOf, diskOf, pathStyleOf } from './machine.ts';
import { rememberRoot } from './root.ts';
import { runProgram } from './run-program.ts';
import { safeDeleteTool } from './safe-delete-tool.ts';

const { platform, env } = process;
const disk = await diskOf(platform);
const root = await rememberRoot(disk, process.cwd());
const backends = backendsOf(disk, {
  platform,
  env,
  run: runProgram,
  now: () => new Date(),
});
runPlugin(definePlugin({ tools: [safeDeleteTool({ root, style: pathStyleOf(platform), disk, backends })] }));
