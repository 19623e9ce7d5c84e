import { setTimeout as pause } from 'node:timers/promises';
import type { Entry } from '../authoring/context.ts';
import type { AddedMessage, ArgsByName } from '../authoring/part.ts';
import type { ScopeKind } from '../authoring/scope.ts';
import type {
  CallContext,
  CallRequest,
  Carrier,
  Contributions,
  EndpointKind,
  OpenRequest,
} from '../carrier/carrier.ts';
import { type Clock, machineClock } from '../clock.ts';
import { commandName, parseCommandLine } from '../command/command-line.ts';
import type { FiredKind } from '../contracts/hook-contracts.ts';
import type { HookKind } from '../contracts/hook-kinds.ts';
import { BudgetWheel } from '../dispatch/budget-wheel.ts';
import { carryCall, carryTool } from '../dispatch/carry-call.ts';
import { HookDispatcher, type Soon } from '../dispatch/hook-dispatcher.ts';
import type { HookTarget } from '../dispatch/hook-target.ts';
import { type CallOutcome, hasValue, type ToolAnswer, toolAnswer } from '../dispatch/outcome.ts';
import { ExtensionError, type ExtensionErrorCode, extensionError } from '../errors.ts';
import { deepFreeze } from '../json/deep-freeze.ts';
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts';
import { plainJson } from '../json/plain-json.ts';
import { budgets } from '../limits.ts';
import { checkContributions } from '../manifest/check-contributions.ts';
import { type CompiledSchema, compileSchema } from '../schema/compile-schema.ts';
import { faultText } from '../schema/schema-fault.ts';
import { mergeSettings } from '../settings/merge-settings.ts';
import type { HandleWatch } from '../worker/handle-watch.ts';
import type { FakeClock } from './fake-clock.ts';
import { type FakeHost, SESSION } from './fake-host.ts';
import type { Harness } from './harness.ts';

const AGENT = Object.freeze({ id: 'agent-1', name: 'fairlead' });

/** Nobody waits longer than this for a worker's own time to pass. */
const REAL_WAIT_MAX_MS = 5000;

export interface RunningHarnessOptions {
  readonly carrier: Carrier;
  readonly host: FakeHost;
  readonly clock: Clock;
  /** Absent where time is real. */
  readonly fake: FakeClock | undefined;
  readonly watch: HandleWatch;
  readonly scopes: readonly ScopeKind[];
}

interface OpenInstance {
  readonly request: OpenRequest;
  contributions: Contributions;
}

/** A harness once its carrier stands: the host's side of every call. */
export class RunningHarness implements Harness<ArgsByName> {
  readonly tools: Harness<ArgsByName>['tools'];
  readonly #options: RunningHarnessOptions;
  readonly #wheel: BudgetWheel;
  readonly #hooks: HookDispatcher;
  readonly #settingsSchema: CompiledSchema;
  /** Global, agent, session. */
  readonly #instances: OpenInstance[] = [];
  #changing: Promise<unknown> = Promise.resolve();
  #lastCall = 0;
  #closed: Promise<{ readonly leftOpen: readonly string[] }> | undefined;

  constructor(options: RunningHarnessOptions) {
    this.#options = options;
    // A clock that stands still is read at each arming, so that budgets pass to the millisecond.
    this.#wheel =
      options.fake === undefined ? new BudgetWheel(options.clock) : new BudgetWheel(options.fake, 0);
    this.#hooks = new HookDispatcher({
      wheel: this.#wheel,
      report: ({ kind, code, reason }) =>
        options.host.log({ level: 'warn', message: `${kind}: ${code}: ${reason}` }),
    });
    this.#settingsSchema = schemaOf(options.carrier.manifest.settings);
    this.tools = new Proxy(
      {},
      {
        get: (_target, name) => (args?: JsonObject, how?: { readonly signal?: AbortSignal }) =>
          this.callTool(String(name), args, how),
      },
    );
  }

  async open(): Promise<void> {
    const { scopes, carrier } = this.#options;
    for (const kind of scopes) {
      const key = kind === 'global' ? '' : kind === 'agent' ? AGENT.id : SESSION;
      const request: OpenRequest = { instance: kind, kind, key, name: key, settings: this.#settings() };
      const opening = this.#run(() => carrier.open(request));
      const contributions = await within(opening, budgets.openMs, () => carrier.close(kind));
      this.#instances.push({ request, contributions });
    }
  }

  changed(instance: string): void {
    const open = this.#instances.find(({ request }) => request.instance === instance);
    if (open === undefined) return;
    const refresh = async (): Promise<void> => {
      open.contributions = await this.#options.carrier.open(open.request);
    };
    this.#changing = this.#changing.then(refresh, refresh).catch(() => {});
  }

  async callTool(
    name: string,
    args: JsonObject = {},
    { signal }: { signal?: AbortSignal } = {},
  ): Promise<ToolAnswer> {
    await this.#changing;
    const found = this.#find((contributions) => contributions.tools.find((tool) => tool.name === name));
    if (found === undefined) return toolAnswer(refused('tool_not_found', name));
    const parsed = schemaOf(found.endpoint.args).parse(args);
    if (!parsed.ok) return toolAnswer(refused('tool_arguments_invalid', faultText(parsed.fault)));
    const request = this.#request(found.instance, 'tool', name, parsed.value);
    const outcome = await this.#run(() =>
      carryTool(this.#options.carrier, request, {
        wheel: this.#wheel,
        budgetMs: found.endpoint.timeout_ms,
        signal,
      }),
    );
    return toolAnswer(outcome);
  }

  async command(line: string): Promise<string> {
    const { name, rest } = commandName(line);
    const found = this.#find((contributions) =>
      contributions.commands.find((command) => command.name === name),
    );
    if (found === undefined) throw extensionError('unknown_command', name);
    const parsed = parseCommandLine({ name, args: schemaOf(found.endpoint.args) }, rest);
    if (!parsed.ok) return `${parsed.message}\nusage: ${parsed.usage}`;
    const request = this.#request(found.instance, 'command', name, parsed.args);
    const value = await this.#carry(request, budgets.commandMs, 'command_timeout');
    return isJsonObject(value) && typeof value['text'] === 'string' ? value['text'] : '';
  }

  async toolCall({
    tool,
    args,
    owner,
  }: {
    readonly tool: string;
    readonly args: object;
    readonly owner?: string;
  }): Promise<{ readonly args: object } | { readonly block: string }> {
    const found = this.#find((contributions) => contributions.tools.find(({ name }) => name === tool));
    const plain = plainJson(args);
    if (!plain.ok || !isJsonObject(plain.value))
      throw extensionError('tool_arguments_invalid', 'args is an object');
    const schema = found === undefined ? undefined : schemaOf(found.endpoint.args);
    const parse = (value: Json) => schema?.parse(value) ?? ({ ok: true, value } as const);
    const first = parse(plain.value);
    if (!first.ok) throw extensionError('tool_arguments_invalid', faultText(first.fault));
    const call = {
      tool,
      owner: owner ?? this.#options.carrier.manifest.name,
      args: first.value as JsonObject,
    };
    const result = await this.#fire(() => this.#hooks.toolCall(this.#targets('tool_call'), call, parse));
    return result.kind === 'pass' ? { args: result.args } : { block: result.reason };
  }

  async toolResult(end: Parameters<Harness<ArgsByName>['toolResult']>[0]): Promise<string> {
    const { tool, text, args = {}, isError = false, owner = this.#options.carrier.manifest.name } = end;
    const plain = plainJson(args);
    const event = { tool, owner, text, isError, args: (plain.ok ? plain.value : {}) as JsonObject };
    return (await this.#fire(() => this.#hooks.toolResult(this.#targets('tool_result'), event))).text;
  }

  async beforeAgentStart(): Promise<readonly AddedMessage[]> {
    const messages = await this.#fire(() =>
      this.#hooks.beforeAgentStart(this.#targets('before_agent_start')),
    );
    return messages.map(({ role, text }) => ({ role, text }));
  }

  async agentEnd(status: 'completed' | 'failed' | 'cancelled' = 'completed'): Promise<void> {
    await this.#fire(() => this.#hooks.agentEnd(this.#targets('agent_end'), { status }));
  }

  async sessionStart(): Promise<void> {
    await this.#fire(() => this.#hooks.sessionStart(this.#targets('session_start')));
  }

  async sessionShutdown(): Promise<void> {
    await this.#fire(() => this.#hooks.sessionShutdown(this.#targets('session_shutdown')));
  }

  async prompt(tools: readonly string[] = []): Promise<string> {
    const blocks = await this.#fire(() => this.#hooks.prompt(this.#answering('prompt'), { tools }));
    return blocks.map(({ text }) => text).join('\n\n');
  }

  async tail(recent: readonly string[] = []): Promise<string> {
    const blocks = await this.#fire(() => this.#hooks.tail(this.#answering('tail'), { recent }));
    return blocks.map(({ text }) => text).join('\n\n');
  }

  async status(): Promise<Readonly<Record<string, string>>> {
    const owned = await this.#fire(() => this.#hooks.status(this.#answering('status')));
    return Object.assign({}, ...owned.map(({ segments }) => segments));
  }

  async routine(id: string, payload: Json = null): Promise<void> {
    const found = this.#find((contributions) => contributions.routines.find((routine) => routine.id === id));
    if (found === undefined) throw extensionError('routine_no_handler', id);
    await this.#carry(
      this.#request(found.instance, 'routine', id, plain(payload)),
      budgets.routineMs,
      'routine_timeout',
    );
  }

  async cap(kind: string, method: string, input: Json): Promise<Json> {
    const found = this.#find((contributions) => contributions.caps.find((cap) => cap.kind === kind));
    if (found === undefined) throw extensionError('cap_unavailable', kind);
    const request = { ...this.#request(found.instance, 'cap', kind, plain(input)), method };
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
    await this.#changing;
    const { manifest } = this.#options.carrier;
    const problems = this.#instances.flatMap(({ request, contributions }) =>
      checkContributions(manifest, request.kind, contributions).refused.map(
        ({ code, what }) => `${code}: ${what}`,
      ),
    );
    for (const { contributions } of this.#instances)
      for (const gate of contributions.gates ?? [])
        if (!gate.endsWith('*') && !this.#knows(gate))
          problems.push(`gates: ${gate} is no tool of its own; see that the name is right`);
    const { reports, missing } = mergeSettings(this.#settingsSchema, [
      { name: 'session', values: this.#options.host.settings },
    ]);
    problems.push(...reports.map(({ key, message }) => `settings_invalid: ${key} ${message}`));
    problems.push(...missing.map((key) => `settings_invalid: ${key} has no default and is not set`));
    return [...problems, ...this.#options.host.logs.filter((line) => line.startsWith('warn: '))];
  }

  close(): Promise<{ readonly leftOpen: readonly string[] }> {
    this.#closed ??= this.#end();
    return this.#closed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #end(): Promise<{ readonly leftOpen: readonly string[] }> {
    const { carrier, watch, host, fake } = this.#options;
    const ended = watch.run(() => carrier.end());
    await (fake === undefined ? ended : this.#pumped(ended, fake));
    this.#wheel.close();
    const left = await watch.left();
    watch.stop();
    return { leftOpen: [...left, ...leftInWorker(host.logs)] };
  }

  /** Ending has a budget of its own, which a clock that stands still would never let pass. */
  async #pumped(ended: Promise<void>, fake: FakeClock): Promise<void> {
    let over = false;
    const mark = () => {
      over = true;
    };
    ended.then(mark, mark);
    for (let waits = 0; waits < 4; waits += 1) {
      // What ends by real work (a socket, a file) gets real time before the clock is moved.
      for (let pauses = 0; pauses < 10 && !over; pauses += 1) await pause(5);
      if (over) break;
      await fake.advance(budgets.closeMs);
    }
    await ended;
  }

  #knows(tool: string): boolean {
    return this.#find(({ tools }) => tools.find(({ name }) => name === tool)) !== undefined;
  }

  /** Session over agent over global. */
  #find<E>(
    look: (contributions: Contributions) => E | undefined,
  ): { readonly instance: OpenInstance; readonly endpoint: E } | undefined {
    for (const instance of [...this.#instances].reverse()) {
      const endpoint = look(instance.contributions);
      if (endpoint !== undefined) return { instance, endpoint };
    }
    return undefined;
  }

  #settings(): JsonObject {
    const { host } = this.#options;
    return mergeSettings(this.#settingsSchema, [{ name: 'session', values: host.settings }]).settings;
  }

  #context(): CallContext {
    return deepFreeze({
      agent: AGENT,
      session: SESSION,
      settings: this.#settings(),
      caps: this.#options.host.capMethods,
    });
  }

  #request({ request }: OpenInstance, endpoint: EndpointKind, name: string, input: Json): CallRequest {
    this.#lastCall += 1;
    const call = `call-${this.#lastCall}`;
    return {
      call,
      instance: request.instance,
      endpoint,
      name,
      input,
      context: this.#context(),
      running: undefined,
    };
  }

  /** Every instance that has the hook, global first. */
  #targets(kind: HookKind): HookTarget[] {
    return this.#instances
      .filter(({ contributions }) => contributions.hooks.includes(kind))
      .map((instance) => this.#target(instance, kind));
  }

  /** The one instance that answers for the extension: session over agent over global. */
  #answering(kind: 'prompt' | 'tail' | 'status'): HookTarget[] {
    const found = this.#find((contributions) => (contributions[kind] ? true : undefined));
    return found === undefined ? [] : [this.#target(found.instance, kind)];
  }

  #target({ request, contributions }: OpenInstance, kind: FiredKind): HookTarget {
    const { carrier } = this.#options;
    const { gates } = contributions;
    return {
      owner: carrier.manifest.name,
      endpoint: carrier.hook(request.instance, kind),
      context: this.#context(),
      ...(kind === 'tool_call' && gates !== undefined ? { gates } : {}),
    };
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

/**
 * Waits for an opening under its budget. In real time: while a harness opens, nobody holds it who could move its clock. What is
 * late is given up.
 */
async function within<T>(opening: Promise<T>, budgetMs: number, giveUp: () => Promise<void>): Promise<T> {
  let late: { cancel(): void } | undefined;
  const passed = new Promise<never>((_resolve, reject) => {
    late = machineClock().setTimer(budgetMs, () => {
      void giveUp();
      reject(extensionError('instantiate_timeout'));
    });
  });
  try {
    return await Promise.race([opening, passed]);
  } finally {
    late?.cancel();
  }
}

function refused(code: ExtensionErrorCode, detail: string): CallOutcome<never> {
  return { certainty: 'not_started', fault: { code, message: extensionError(code, detail).message } };
}

function schemaOf(json: object): CompiledSchema {
  const compiled = compileSchema(json);
  if (!compiled.ok) throw extensionError('manifest_invalid', faultText(compiled.fault));
  return compiled.schema;
}

function plain(value: Json): Json {
  const copy = plainJson(value);
  if (!copy.ok) throw new TypeError(`the input ${copy.message}`);
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
