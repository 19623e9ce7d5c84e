import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { type Clock, type Json, type JsonObject, systemClock, systemRandom } from '@fairlead/base';
import { ExtensionError } from '@fairlead/extension/runtime';
import { startWatchdog } from '@fairlead/process';
import { openStore } from '@fairlead/store';
import { hygiene, seededRandom, temporaryFolder } from '@fairlead/testing';
import {
  type HttpServer,
  SecretBox,
  SecretRows,
  type ServerConfig,
  type ServerFloor,
  type StdioServer,
} from '../src/index.ts';
import { McpServer } from '../src/server/mcp-server.ts';

const SCRIPTED = join(import.meta.dirname, 'fixtures/scripted-server.mjs');

/** What a tool's entry needs at least. */
export const tool = (name: string, more: JsonObject = {}): JsonObject => ({
  name,
  inputSchema: { type: 'object' },
  ...more,
});

const COMMON = {
  startupTimeoutMs: 30_000,
  timeoutMs: 60_000,
  maxOutputBytes: 102_400,
  newTools: 'ask',
} as const;

interface TestServer {
  readonly server: McpServer;
  /** The script's file; beside it stand `.calls`, `.starts`, `.cancelled`. */
  readonly file: string;
  write(script: Json): void;
  /** What reached the server, a line each. */
  calls(): readonly string[];
  starts(): readonly number[];
  changes(): number;
  call(
    name: string,
    args?: JsonObject,
    told?: {
      readonly signal?: AbortSignal;
      readonly progress?: (text: string) => void;
      readonly target?: string;
    },
  ): Promise<JsonObject>;
  names(): readonly string[];
}

export interface TestFloor {
  readonly floor: ServerFloor;
  readonly folder: string;
  readonly logs: readonly string[];
  /** A server of the scripted kind that was started. */
  scripted(script: JsonObject, config?: Partial<StdioServer>): Promise<TestServer>;
  /** Another one with the same script and command: the same source, started later. */
  again(first: TestServer, config?: Partial<StdioServer>): Promise<TestServer>;
  http(url: string, config?: Partial<HttpServer>): Promise<TestServer>;
}

/** A store, a watchdog and a folder of a test's own. */
export async function mcpFloor(
  t: TestContext,
  options: {
    readonly clock?: Clock;
    readonly env?: Readonly<Record<string, string | undefined>>;
    readonly secretVariables?: readonly string[];
    readonly mask?: (text: string) => string;
  } = {},
): Promise<TestFloor> {
  hygiene(t);
  const folder = temporaryFolder(t);
  const clock = options.clock ?? systemClock();
  const random = seededRandom(7);
  const store = await openStore({ path: join(folder, 'fairlead.db'), clock: systemClock() });
  t.after(() => store.close());
  // By its token it ends processes, so no two tests that run at once may have the same.
  const watchdog = startWatchdog({ random: systemRandom() });
  t.after(() => watchdog.close());
  const logs: string[] = [];
  const floor: ServerFloor = {
    ...{ store, clock, random, watchdog, folder },
    platform: process.platform === 'darwin' ? 'darwin' : 'linux',
    env: options.env ?? { PATH: process.env['PATH'], HOME: folder },
    secretVariables: options.secretVariables ?? [],
    ...(options.mask === undefined ? {} : { mask: options.mask }),
    secrets: new SecretRows(store, new SecretBox(random(32), random)),
    version: '0.1.0',
    log: (level, event, fields) => void logs.push(`${level} ${event} ${JSON.stringify(fields)}`),
  };
  let count = 0;
  const started = async (config: ServerConfig, file: string): Promise<TestServer> => {
    const server = new McpServer(config, floor);
    t.after(() => server.close());
    let changes = 0;
    await server.start(() => {
      changes += 1;
    });
    const lines = (suffix: string) =>
      existsSync(file + suffix)
        ? readFileSync(file + suffix, 'utf8')
            .split('\n')
            .slice(0, -1)
        : [];
    return {
      server,
      file,
      write: (script) => writeFileSync(file, JSON.stringify(script)),
      calls: () => lines('.calls'),
      starts: () => lines('.starts').map(Number),
      changes: () => changes,
      call: async (name, args = {}, { signal, progress, target } = {}) =>
        (await server.call(`${config.name}__${name}`, target, args, {
          signal: signal ?? new AbortController().signal,
          progress: progress ?? (() => {}),
        })) as unknown as JsonObject,
      names: () => server.tools().map(({ name }) => name),
    };
  };
  const scriptedConfig = (file: string, config: Partial<StdioServer>): StdioServer => ({
    ...COMMON,
    kind: 'stdio',
    name: 's',
    command: process.execPath,
    args: [SCRIPTED, file],
    env: {},
    envPass: [],
    ...config,
  });
  return {
    floor,
    folder,
    logs,
    async scripted(script, config = {}) {
      count += 1;
      const file = join(folder, `script-${count}.json`);
      writeFileSync(file, JSON.stringify(script));
      return await started(scriptedConfig(file, config), file);
    },
    again: (first, config = {}) => started(scriptedConfig(first.file, config), first.file),
    http: (url, config = {}) =>
      started(
        { ...COMMON, kind: 'http', name: 's', url, headers: {}, headersEnv: {}, ...config },
        join(folder, 'none'),
      ),
  };
}

/** A call's fault: certainty and code. */
export async function faultOf(
  call: Promise<unknown>,
): Promise<readonly [string | undefined, string, string]> {
  try {
    const value = await call;
    return ['completed', 'none', JSON.stringify(value)];
  } catch (error) {
    if (!(error instanceof ExtensionError)) throw error;
    return [error.certainty, error.code, error.message];
  }
}
