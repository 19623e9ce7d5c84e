import { setTimeout as pause } from 'node:timers/promises';
import type { Entry } from '../authoring/context.ts';
import type { AddedMessage, ArgsByName } from '../authoring/part.ts';
import type { CallRequest, Carrier } from '../carrier/carrier.ts';
import type { Clock } from '../clock.ts';
import { commandName, parseCommandLine } from '../command/command-line.ts';
import { BudgetWheel } from '../dispatch/budget-wheel.ts';
import { carryCall, carryTool } from '../dispatch/carry-call.ts';
import { HookDispatcher, type Soon } from '../dispatch/hook-dispatcher.ts';
import { type CallOutcome, hasValue, type ToolAnswer, toolAnswer } from '../dispatch/outcome.ts';
import { ExtensionError, type ExtensionErrorCode, extensionError } from '../errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts';
import { plainJson } from '../json/plain-json.ts';
import { budgets } from '../limits.ts';
import { faultText } from '../schema/schema-fault.ts';
import type { HandleWatch } from '../worker/handle-watch.ts';
import type { FakeClock } from './fake-clock.ts';
import { type FakeHost, SESSION } from './fake-host.ts';
import type { Harness } from './harness.ts';
import { type Found, type OpenInstances, schemaOf } from './open-instances.ts';

/** Nobody waits longer than this for a worker's own time to pass. */
const REAL_WAIT_MAX_MS = 5000;

/** What ends by real work (a socket, a file) gets so many pauses of 5 ms before the clock is moved. */
const REAL_PAUSES = 100;

export interface RunningHarnessOptions {
  readonly carrier: Carrier;
  readonly instances: OpenInstances;
  readonly host: FakeHost;
  readonly clock: Clock;
  /** Absent where time is real. */
  readonly fake: FakeClock | undefined;
  readonly watch: HandleWatch;
}

/** A harness whose instances are open: the host's side of every call. */
export class RunningHarness implements Harness<ArgsByName> {
  readonly tools: Harness<ArgsByName>['tools'];
  readonly #options: RunningHarnessOptions;
  readonly #instances: OpenInstances;
  readonly #wheel: BudgetWheel;
  readonly #hooks: HookDispatcher;
  #closed: Promise<{ readonly leftOpen: readonly string[] }> | undefined;

  constructor(options: RunningHarnessOptions) {
    const { fake, clock, host } = options;
    this.#options = options;
    this.#instances = options.instances;
    // A clock that stands still is read at each arming, so that budgets pass to the millisecond.
    this.#wheel = fake === undefined ? new BudgetWheel(clock) : new BudgetWheel(fake, 0);
    this.#hooks = new HookDispatcher({
      wheel: this.#wheel,
      report: ({ kind, code, reason }) => host.log({ level: 'warn', message: `${kind}: ${code}: ${reason}` }),
    });
    this.tools = new Proxy(
      {},
      {
        get: (_target, name) => (args?: JsonObject, how?: { readonly signal?: AbortSignal }) =>
          this.callTool(String(name), args, how),
      },
    );
  }

  async callTool(
    name: string,
    args: JsonObject = {},
    { signal }: { readonly signal?: AbortSignal } = {},
  ): Promise<ToolAnswer> {
    await this.#instances.settled();
    const found = this.#instances.find(({ tools }) => tools.find((tool) => tool.name === name));
    if (found === undefined) return toolAnswer(refused('tool_not_found', name));
    const parsed = schemaOf(found.endpoint.args).parse(args);
    if (!parsed.ok) return toolAnswer(refused('tool_arguments_invalid', faultText(parsed.fault)));
    const request = this.#instances.request(found, 'tool', name, parsed.value);
    const budgetMs = found.endpoint.timeout_ms;
    return toolAnswer(
      await this.#run(() =>
        carryTool(this.#options.carrier, request, { wheel: this.#wheel, budgetMs, signal }),
      ),
    );
  }

  async command(line: string): Promise<string> {
    const { name, rest } = commandName(line);
    const found = this.#instances.find(({ commands }) => commands.find((command) => command.name === name));
    if (found === undefined) throw extensionError('unknown_command', name);
    const parsed = parseCommandLine({ name, args: schemaOf(found.endpoint.args) }, rest);
    if (!parsed.ok) return `${parsed.message}\nusage: ${parsed.usage}`;
    const request = this.#instances.request(found, 'command', name, parsed.args);
    const value = await this.#carry(request, budgets.commandMs, 'command_timeout');
    return isJsonObject(value) && typeof value['text'] === 'string' ? value['text'] : '';
  }

  async toolCall(
    given: Parameters<Harness<ArgsByName>['toolCall']>[0],
  ): Promise<{ readonly args: object } | { readonly block: string }> {
    const { tool, args, owner = this.#name } = given;
    const found = this.#instances.find(({ tools }) => tools.find(({ name }) => name === tool));
    const schema = found === undefined ? undefined : schemaOf(found.endpoint.args);
    const parse = (value: Json) => schema?.parse(value) ?? ({ ok: true, value } as const);
    const parsed = parse(plain(args));
    if (!parsed.ok) throw extensionError('tool_arguments_invalid', faultText(parsed.fault));
    if (!isJsonObject(parsed.value)) throw extensionError('tool_arguments_invalid', 'args is an object');
    const call = { tool, owner, args: parsed.value };
    const result = await this.#fire(() =>
      this.#hooks.toolCall(this.#instances.targets('tool_call'), call, parse),
    );
    return result.kind === 'pass' ? { args: result.args } : { block: result.reason };
  }

  async toolResult(end: Parameters<Harness<ArgsByName>['toolResult']>[0]): Promise<string> {
    const { tool, text, args = {}, isError = false, owner = this.#name } = end;
    const event = { tool, owner, text, isError, args: plain(args) as JsonObject };
    const targets = this.#instances.targets('tool_result');
    return (await this.#fire(() => this.#hooks.toolResult(targets, event))).text;
  }

  async beforeAgentStart(): Promise<readonly AddedMessage[]> {
    const targets = this.#instances.targets('before_agent_start');
    const messages = await this.#fire(() => this.#hooks.beforeAgentStart(targets));
    return messages.map(({ role, text }) => ({ role, text }));
  }

  async agentEnd(status: 'completed' | 'failed' | 'cancelled' = 'completed'): Promise<void> {
    await this.#fire(() => this.#hooks.agentEnd(this.#instances.targets('agent_end'), { status }));
  }

  async sessionStart(): Promise<void> {
    await this.#fire(() => this.#hooks.sessionStart(this.#instances.targets('session_start')));
  }

  async sessionShutdown(): Promise<void> {
    await this.#fire(() => this.#hooks.sessionShutdown(this.#instances.targets('session_shutdown')));
  }

  async prompt(tools: readonly string[] = []): Promise<string> {
    const blocks = await this.#fire(() => this.#hooks.prompt(this.#instances.answering('prompt'), { tools }));
    return blocks.map(({ text }) => text).join('\n\n');
  }

  async tail(recent: readonly string[] = []): Promise<string> {
    const blocks = await this.#fire(() => this.#hooks.tail(this.#instances.answering('tail'), { recent }));
    return blocks.map(({ text }) => text).join('\n\n');
  }

  async status(): Promise<Readonly<Record<string, string>>> {
    const owned = await this.#fire(() => this.#hooks.status(this.#instances.answering('status')));
    return Object.assign({}, ...owned.map(({ segments }) => segments));
  }

  async routine(id: string, payload: Json = null): Promise<void> {
    const found = this.#instances.find(({ routines }) => routines.find((routine) => routine.id === id));
    if (found === undefined) throw extensionError('routine_no_handler', id);
    const request = this.#instances.request(found, 'routine', id, plain(payload));
    await this.#carry(request, budgets.routineMs, 'routine_timeout');
  }

  async cap(kind: string, method: string, input: Json): Promise<Json> {
    const found: Found<unknown> | undefined = this.#instances.find(({ caps }) =>
      caps.find((cap) => cap.kind === kind),
    );
    if (found === undefined) throw extensionError('cap_unavailable', kind);
    const request = { ...this.#instances.request(found, 'cap', kind, plain(input)), method };
    return this.#carry(request, budgets.capMs, 'cap_timeout');
  }

  async advance(ms: number): Promise<void> {
    const { fake } = this.#options;
    if (fake !== undefined) return fake.advance(ms);
    if (ms > REAL_WAIT_MAX_MS)
      throw new RangeError(`in a worker time is real: advance waits ${REAL_WAIT_MAX_MS} ms at most`);
    await pause(ms);
  }

  get entries(): readonly Entry[] {
    return this.#options.host.entriesOf(SESSION);
  }

  entriesOf(session: string): readonly Entry[] {
    return this.#options.host.entriesOf(session);
  }

  get logs(): readonly string[] {
    return this.#options.host.logs;
  }

  get progress(): readonly string[] {
    return this.#options.host.progress;
  }

  get settings(): JsonObject {
    return this.#options.host.settings;
  }

  async check(): Promise<readonly string[]> {
    await this.#instances.settled();
    return [
      ...this.#instances.problems(),
      ...this.#options.host.logs.filter((line) => line.startsWith('warn: ')),
    ];
  }

  close(): Promise<{ readonly leftOpen: readonly string[] }> {
    this.#closed ??= this.#end();
    return this.#closed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  get #name(): string {
    return this.#options.carrier.manifest.name;
  }

  async #end(): Promise<{ readonly leftOpen: readonly string[] }> {
    const { carrier, watch, host, fake } = this.#options;
    const ended = watch.run(() => carrier.end());
    await (fake === undefined ? ended : pumped(ended, fake));
    this.#wheel.close();
    const left = await watch.left();
    watch.stop();
    return { leftOpen: [...left, ...leftInWorker(host.logs)] };
  }

  async #fire<T>(fire: () => Soon<T>): Promise<T> {
    return this.#run(fire);
  }

  /** Runs a piece of the extension, watched. */
  #run<T>(piece: () => T): T {
    return this.#options.watch.run(piece);
  }

  async #carry(request: CallRequest, budgetMs: number, timeoutCode: ExtensionErrorCode): Promise<Json> {
    const outcome = await this.#run(() =>
      carryCall(this.#options.carrier, request, { wheel: this.#wheel, budgetMs, timeoutCode }),
    );
    if (hasValue(outcome)) return outcome.value;
    const { certainty, fault } = outcome;
    throw new ExtensionError(fault.code, fault.message, { certainty });
  }
}

/** Ending has a budget of its own, which a clock that stands still would never let pass. */
async function pumped(ended: Promise<void>, fake: FakeClock): Promise<void> {
  let over = false;
  const mark = () => {
    over = true;
  };
  ended.then(mark, mark);
  while (!over) {
    for (let pauses = 0; pauses < REAL_PAUSES && !over; pauses += 1) await pause(5);
    if (!over) await fake.advance(budgets.closeMs);
  }
  await ended;
}

function refused(code: ExtensionErrorCode, detail: string): CallOutcome<never> {
  return { certainty: 'not_started', fault: { code, message: extensionError(code, detail).message } };
}

function plain(value: unknown): Json {
  const copy = plainJson(value);
  if (!copy.ok) throw new TypeError(`the input${copy.path} ${copy.message}`);
  return copy.value;
}

/** A worker says at its end what it leaves open, as a line of its log. */
function leftInWorker(logs: readonly string[]): readonly string[] {
  return logs.flatMap((line) => {
    const [, data] = /^warn: left open: .* (\{"left_open":\[.*\]\})$/.exec(line) ?? [];
    const parsed: unknown = data === undefined ? undefined : JSON.parse(data);
    return isJsonObject(parsed) && Array.isArray(parsed['left_open']) ? parsed['left_open'].map(String) : [];
  });
}
