import type { AgentState, Agents, AgentView, Call, Log, SessionView } from '../authoring/context.ts';
import type { Ask } from '../carrier/ask.ts';
import type { CallContext, CallRequest, Firing, RunningCall } from '../carrier/carrier.ts';
import { cutLine } from '../contracts/text.ts';
import { extensionError } from '../errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts';
import { plainJson } from '../json/plain-json.ts';
import { contextLimits } from '../limits.ts';
import { ask, type Instance } from './instance.ts';
import { capsOf } from './live-caps.ts';
import { sessionView } from './session-view.ts';
import { patchOf } from './settings-patch.ts';

/** What a context makes only for a handler that looks at it. */
interface Lazy {
  controller?: AbortController;
  caps?: object;
  session?: SessionView;
  aborted?: boolean;
  /** The request of a fired hook, which has none before it asks something. */
  request?: CallRequest;
}

/**
 * The context of one call. It is made for every handler that is entered, so it holds five fields and makes everything else when
 * it is first read. Methods are getters that give bound functions, so that a handler may take it apart.
 */
export class LiveContext implements Call<JsonObject, Readonly<Record<string, never>>, unknown>, RunningCall {
  /** Undefined once the call has ended. */
  #context: CallContext | undefined;
  readonly #source: CallRequest | Firing;
  readonly #instance: Instance;
  #waiting = false;
  #lazy: Lazy | undefined;

  constructor(source: CallRequest | Firing, context: CallContext, instance: Instance) {
    instance.check();
    this.#context = context;
    this.#source = source;
    this.#instance = instance;
    source.running = this;
  }

  /** Counts the call as in flight, because its handler has not answered at once. */
  static wait(context: LiveContext): void {
    context.#waiting = true;
    context.#instance.inFlight += 1;
  }

  /** Whether a handler may still be entered with this context. */
  static isLive(context: LiveContext): boolean {
    return context.#context !== undefined && context.#lazy?.aborted !== true;
  }

  '~abort'(): void {
    if (this.#context === undefined) return;
    this.#made().aborted = true;
    this.#lazy?.controller?.abort(extensionError('call_cancelled'));
  }

  '~end'(): void {
    if (this.#context === undefined) return;
    this.#context = undefined;
    if (this.#waiting) this.#instance.leave();
  }

  get settings(): JsonObject {
    return this.#live().settings;
  }

  get state(): unknown {
    this.#live();
    return this.#instance.state;
  }

  get caps(): Readonly<Record<string, never>> {
    this.#live();
    const lazy = this.#made();
    lazy.caps ??= capsOf(this.#instance.around, this.#request(), (question) => this.#ask(question));
    return lazy.caps as Readonly<Record<string, never>>;
  }

  get signal(): AbortSignal {
    this.#live();
    return this['~signal'];
  }

  get '~signal'(): AbortSignal {
    const lazy = this.#made();
    if (lazy.controller === undefined) {
      lazy.controller = new AbortController();
      if (lazy.aborted === true) lazy.controller.abort(extensionError('call_cancelled'));
    }
    return lazy.controller.signal;
  }

  get log(): Log {
    this.#live();
    return this.#instance.around.log;
  }

  get session(): SessionView {
    const { session } = this.#live();
    // The types say where there is one; a handler that is wrong about it reads undefined, as an absent member gives.
    if (session === undefined) return undefined as unknown as SessionView;
    const lazy = this.#made();
    lazy.session ??= sessionView(session, (question) => this.#ask(question));
    return lazy.session;
  }

  get agent(): AgentView {
    return this.#live().agent as AgentView;
  }

  get agents(): Agents {
    this.#live();
    const questions = (question: Ask) => this.#ask(question);
    return Object.freeze({ resolve: (agent: string) => resolveAgent(agent, questions) });
  }

  get now(): () => number {
    this.#live();
    return () => {
      this.#live();
      return this.#instance.around.clock.wallMs();
    };
  }

  get progress(): (text: string) => void {
    this.#live();
    return (text) => {
      const { call } = this.#request();
      const line = cutLine(String(text), contextLimits.maxLine);
      // Nobody waits for it: a host that cannot show it must not fail the call.
      this.#ask({ op: 'progress', call, text: line }).catch(() => {});
    };
  }

  get save(): (patch: object) => Promise<void> {
    this.#live();
    return async (patch) => {
      const { session } = this.#live();
      if (session === undefined) throw extensionError('settings_need_session');
      const checked = patchOf(this.#instance.around.settings, patch);
      await this.#ask({ op: 'settings.save', session, patch: checked });
    };
  }

  #live(): CallContext {
    const context = this.#context;
    if (context === undefined) throw extensionError('context_expired');
    return context;
  }

  #request(): CallRequest {
    const context = this.#live();
    const source = this.#source;
    if ('call' in source) return source;
    const lazy = this.#made();
    lazy.request ??= {
      call: source.nextCall(),
      instance: this.#instance.id,
      endpoint: source.endpoint,
      name: source.name,
      input: source.input,
      context,
      running: this,
    };
    return lazy.request;
  }

  #made(): Lazy {
    this.#lazy ??= {};
    return this.#lazy;
  }

  async #ask(question: Ask): Promise<Json> {
    return ask(this.#instance.around, question, this.#request());
  }
}

async function resolveAgent(
  agent: string,
  question: (question: Ask) => Promise<Json>,
): Promise<AgentState | null> {
  const found = await question({ op: 'agent_state.resolve', agent: String(agent) });
  if (!isJsonObject(found) || typeof found['id'] !== 'string' || typeof found['name'] !== 'string')
    return null;
  const { id, name } = found;
  return Object.freeze({
    id,
    name,
    read: (place: object) => question({ op: 'agent_state.read', agent: id, place: placeOf(place) }),
    write: async (place: object) => {
      await question({ op: 'agent_state.write', agent: id, place: placeOf(place) });
      return null;
    },
  });
}

function placeOf(place: object): JsonObject {
  const plain = plainJson(place);
  if (!plain.ok || !isJsonObject(plain.value))
    throw extensionError('capability_not_declared', 'a place is plain JSON');
  return plain.value;
}
