import type { Extension } from '@fairlead/extension';
import { core } from './core/core.ts';
import { fs } from './fs/fs.ts';
import { memory } from './memory/memory.ts';
import { pathNormalizer } from './path-normalizer.ts';
import { plugins } from './plugins/plugins.ts';
import { agentSchedule } from './schedule/agent-schedule.ts';
import { schedule } from './schedule/schedule.ts';
import { securityWarnings } from './security-warnings.ts';
import { skills } from './skills/skills.ts';
import { system } from './system/system.ts';
import { web } from './web/web.ts';

/** Every extension that comes with the host, in install order. A new one is a file of its own and a line here. */
export const allBuiltins: readonly Extension[] = [
  core,
  fs,
  system,
  web,
  memory,
  skills,
  schedule,
  agentSchedule,
  plugins,
  pathNormalizer,
  securityWarnings,
];
