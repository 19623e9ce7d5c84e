import { lstatSync, realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { type Random, systemRandom } from '@fairlead/base';
import { ExtensionError } from '@fairlead/extension';
import { startWatchdog } from '@fairlead/process';
import type { BuiltinPeer, Caller, CallGrants, SpawnEnd, SpawnRequest } from '../src/index.ts';
import { fakeSchedules } from './fake-schedules.ts';
import { fakeSkills } from './fake-skills.ts';
import { fakeMemory } from './memory/fake-memory.ts';
import { fakePlugins } from './plugins/fake-plugins.ts';
import { fakeWeb } from './web/fake-web.ts';

export interface FakePeerOptions {
  readonly workspace: string;
  readonly grants?: Omit<CallGrants, 'workspace'>;
  /** Where bubblewrap stands; absent is nowhere. */
  readonly bubblewrap?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** MCP servers that cannot be had. Default: none. */
  readonly failedServers?: () => number;
  /** What was judged, in place of what stands there now. */
  readonly path?: (asked: string) => string;
  readonly random?: Random;
  readonly spawnEnd?: SpawnEnd;
  /** What it knows of skills; absent: none. */
  readonly skills?: (asked: unknown[][]) => BuiltinPeer['skills'];
  /** What it answers in place of judging. */
  readonly refuse?: { readonly code: string; readonly message: string };
}

export interface FakePeer extends BuiltinPeer {
  readonly asked: unknown[][];
  close(): Promise<void>;
}

/** A host that judges paths by its folders and commands not at all. Its watchdog starts with the first command. */
export function fakePeer(options: FakePeerOptions): FakePeer {
  const { workspace, grants, bubblewrap, refuse } = options;
  const asked: unknown[][] = [];
  const { random = systemRandom() } = options;
  let watchdog: ReturnType<typeof startWatchdog> | undefined;
  const judge = () => {
    if (refuse !== undefined) throw new ExtensionError(refuse.code, refuse.message);
  };
  return {
    asked,
    schedules: fakeSchedules(asked),
    skills: options.skills?.(asked) ?? fakeSkills(asked),
    memory: fakeMemory(asked),
    plugins: fakePlugins(),
    web: fakeWeb(),
    async grants(caller: Caller) {
      asked.push(['grants', caller]);
      return { workspace, ...grants };
    },
    async path(caller, kind, path) {
      asked.push(['path', caller, kind, path]);
      judge();
      if (options.path !== undefined) return options.path(path);
      const real = realOf(isAbsolute(path) ? path : join(workspace, path));
      const list = grants?.fs?.[kind];
      const isGranted =
        list?.some((folder) => `${real}/`.startsWith(folder === '/' ? '/' : `${folder}/`)) ?? true;
      if (!isGranted) throw new ExtensionError('grant_denied', 'The grants do not hold this path.');
      return real;
    },
    async command(caller, line) {
      asked.push(['command', caller, line]);
      judge();
      if (/[|&;<>()$`*?"'\\\n]/.test(line)) return ['sh', '-c', line];
      return line.split(' ').filter((word) => word !== '');
    },
    childEnvironment: () => ({ PATH: process.env['PATH'] ?? '', ...options.env }),
    async compact(caller, summary) {
      asked.push(['compact', caller, summary]);
    },
    async spawn(caller, { signal: _signal, ...request }: SpawnRequest) {
      asked.push(['spawn', caller, request]);
      judge();
      return options.spawnEnd ?? { certainty: 'completed', session: 'ses_child', text: 'Done.' };
    },
    async describeTool(caller, name) {
      asked.push(['describeTool', caller, name]);
      return name === 'shell' ? '## shell\n\nRuns a command.' : undefined;
    },
    sandbox: bubblewrap === undefined ? {} : { bubblewrap },
    failedServers: options.failedServers ?? (() => 0),
    get watchdog() {
      watchdog ??= startWatchdog({ random });
      return watchdog;
    },
    platform: process.platform,
    random,
    close: async () => watchdog?.close(),
  };
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    return false;
  }
}

/** The real path of what may not be there yet; a link that leads nowhere stays as it is. */
function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    if (dirname(path) === path || isLink(path)) return path;
    return join(realOf(dirname(path)), basename(path));
  }
}
