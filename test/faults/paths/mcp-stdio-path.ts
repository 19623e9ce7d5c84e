import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { isJsonObject, type JsonObject } from '@fairlead/base';
import type { Told } from '../told.ts';
import { type CallPath, callerPatienceMs, outOfPatience, type PathCall } from './call-path.ts';
import { toldByMessage } from './mcp-http-path.ts';

/** Only catches hanging: a start takes half a second, on a machine that has time for it. */
const START_MS = 120_000;

/** A message, or why none comes: the process has closed its output, or the time is over. */
type Heard = JsonObject | 'closed' | 'late';

/** `fairlead mcp` as a process of its own, which lives as long as the path: it must stand a gateway that comes and goes. */
export class McpStdioPath implements CallPath {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, (heard: Heard) => void>();
  #id = 0;
  #isClosed = false;

  private constructor(child: ChildProcess) {
    this.#child = child;
    child.stdin?.on('error', () => {});
    child.stderr?.resume();
    child.once('close', () => {
      this.#isClosed = true;
      for (const wake of this.#waiting.values()) wake('closed');
    });
    if (child.stdout !== null)
      createInterface({ input: child.stdout }).on('line', (line) => {
        const message = JSON.parse(line) as JsonObject;
        const wake = this.#waiting.get(Number(message['id']));
        this.#waiting.delete(Number(message['id']));
        wake?.(message);
      });
  }

  static async start(command: readonly [string, ...string[]], env: NodeJS.ProcessEnv): Promise<McpStdioPath> {
    const [program, ...args] = command;
    const path = new McpStdioPath(spawn(program, args, { env, stdio: ['pipe', 'pipe', 'pipe'] }));
    const clientInfo = { name: 'fairlead-faults', version: '1.0.0' };
    const hello = await path.#request(
      'initialize',
      {
        protocolVersion: '2025-11-25',
        capabilities: {},
        clientInfo,
      },
      START_MS,
    );
    if (typeof hello === 'string' || !isJsonObject(hello['result'])) {
      await path[Symbol.asyncDispose]();
      throw new Error('fairlead mcp did not start');
    }
    path.#write({ jsonrpc: '2.0', method: 'notifications/initialized' });
    return path;
  }

  get isOver(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  async call({ binding, arguments: given }: PathCall): Promise<Told> {
    const answer = await this.#request('tools/call', {
      name: 'plugin_tool',
      arguments: { action: 'call', binding, arguments: given },
    });
    if (answer === 'late') return outOfPatience;
    return answer === 'closed'
      ? { kind: 'lost', reason: 'fairlead mcp closed its output' }
      : toldByMessage(answer);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.isOver) return;
    const ended = once(this.#child, 'close');
    this.#child.kill('SIGKILL');
    await ended;
  }

  #request(method: string, params: JsonObject, patienceMs: number = callerPatienceMs): Promise<Heard> {
    if (this.#isClosed) return Promise.resolve('closed');
    this.#id += 1;
    const id = this.#id;
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(id);
        resolve('late');
      }, patienceMs);
      this.#waiting.set(id, (message) => {
        clearTimeout(timer);
        resolve(message);
      });
      this.#write({ jsonrpc: '2.0', id, method, params });
    });
  }

  #write(message: JsonObject): void {
    this.#child.stdin?.write(`${JSON.stringify(message)}\n`);
  }
}
