import { type DefinedPart, definitionOf, partsOf } from '../authoring/definition.ts';
import type { Extension } from '../authoring/extension.ts';
import type { ScopeKind } from '../authoring/scope.ts';
import type { HostSide } from '../carrier/ask.ts';
import {
  type CallContext,
  type CallRequest,
  type Contributions,
  endCall,
  type Firing,
  type HookEndpoint,
  type OpenRequest,
} from '../carrier/carrier.ts';
import { type Clock, machineClock } from '../clock.ts';
import type { FiredKind } from '../contracts/hook-contracts.ts';
import { thrownText } from '../contracts/text.ts';
import { extensionError } from '../errors.ts';
import type { Json } from '../json/json.ts';
import { outputLimits } from '../limits.ts';
import type { Manifest } from '../manifest/manifest.ts';
import { compileSchema } from '../schema/compile-schema.ts';
import { contributionsOf } from './contributions.ts';
import { entryOf, hookHandler } from './entry.ts';
import { Instance, logTo, type Surroundings } from './instance.ts';
import { InstanceScope } from './instance-scope.ts';
import { LiveContext } from './live-context.ts';
import { isThenable } from './thenable.ts';

export interface GuestOptions {
  readonly host: HostSide;
  /** Default: the machine's own. */
  readonly clock?: Clock;
  /** What the scope of a built-in is given; an extension that is none never sees it. */
  readonly peer?: unknown;
  /** Over shared memory, so that another thread can name who blocks this one: slot 0 is `number` from when a handler is entered until it has answered. */
  readonly activity?: Int32Array;
  readonly number?: number;
}

/**
 * Runs one extension against a host side of plain-data questions. It is the same in the host's thread, in a worker and in the
 * harness; what differs is who carries the requests. It keeps no budget but that of ending: whoever calls it does.
 */
export class Guest {
  readonly manifest: Manifest;
  readonly #parts: ReadonlyMap<ScopeKind, DefinedPart>;
  readonly #around: Surroundings;
  readonly #peer: { readonly value: unknown } | undefined;
  /** In the order in which they were opened. */
  readonly #instances = new Map<string, Instance>();
  readonly #opening = new Map<
    string,
    { readonly opened: Promise<Contributions>; readonly scope: InstanceScope; abandon(): Promise<void> }
  >();
  /** It opens no other instance. */
  #ended = false;

  /** Throws `extension_not_defined` for anything that `defineExtension` did not make. */
  constructor(extension: Extension, options: GuestOptions) {
    const definition = definitionOf(extension);
    if (definition === undefined) throw extensionError('extension_not_defined');
    this.manifest = extension.manifest;
    this.#parts = new Map(partsOf(definition));
    this.#peer = definition.builtin && 'peer' in options ? { value: options.peer } : undefined;
    const settings = compileSchema(extension.manifest.settings);
    if (!settings.ok)
      throw extensionError('manifest_invalid', `settings${settings.fault.path} ${settings.fault.message}`);
    this.#around = {
      manifest: extension.manifest,
      uses: definition.uses ?? {},
      settings: settings.schema,
      host: options.host,
      clock: options.clock ?? machineClock(),
      log: logTo(options.host, options.clock ?? machineClock()),
      activity: options.activity ?? new Int32Array(1),
      number: options.number ?? 1,
      asks: 0,
    };
  }

  /** Opens an instance, or answers an open one's contributions anew. One flight for each id. */
  async open(request: OpenRequest): Promise<Contributions> {
    const opening = this.#opening.get(request.instance);
    if (opening !== undefined) return opening.opened;
    const open = this.#instances.get(request.instance);
    if (open !== undefined) return this.#named(() => contributionsOf(open));
    if (this.#ended) throw extensionError('extension_ended', this.manifest.name);
    const part = this.#parts.get(request.kind);
    if (part === undefined)
      throw extensionError(
        'instantiate_failed',
        `${this.manifest.name} has no part at scope ${request.kind}`,
      );
    const scope = new InstanceScope(request, this.#around, this.#peer);
    const instance = new Instance(request, part, this.#around, scope);
    const opened = this.#openInstance(instance).finally(() => this.#opening.delete(request.instance));
    this.#opening.set(request.instance, {
      opened,
      scope,
      abandon: async () => {
        instance.ended = true;
        this.#silent();
        // Whoever opened learns it from the failure; here it is only waited for by nobody.
        opened.catch(() => {});
        await scope.dispose();
      },
    });
    return opened;
  }

  async #openInstance(instance: Instance): Promise<Contributions> {
    const { part, scope, id } = instance;
    try {
      instance.state = await this.#named(() => part.open?.(scope.handle));
      if (instance.ended) {
        // It was given up while it opened: what it made is ended too.
        await this.#closeState(instance);
        throw extensionError('extension_ended', id);
      }
      const contributions = await this.#named(() => contributionsOf(instance));
      if (instance.ended) {
        await this.#closeState(instance);
        throw extensionError('extension_ended', id);
      }
      this.#instances.set(id, instance);
      return contributions;
    } catch (thrown) {
      instance.ended = true;
      await scope.dispose();
      if (thrown instanceof Error && 'code' in thrown && thrown.code === 'extension_ended') throw thrown;
      throw extensionError('instantiate_failed', thrownText(thrown, outputLimits.maxFaultMessage), {
        cause: thrown,
      });
    }
  }

  /** Calls an endpoint. The answer is frozen plain JSON; errors have a code and, for tools, a certainty. */
  call(request: CallRequest): Json | Promise<Json> {
    const instance = this.#instance(request.instance);
    const entry = entryOf(instance, request);
    const ctx = new LiveContext(request, request.context, instance);
    let raw: unknown;
    try {
      raw = this.#running(() => entry.enter(request.input, ctx, () => LiveContext.isLive(ctx)));
      if (isThenable(raw)) {
        LiveContext.wait(ctx);
        return Promise.resolve(raw).then(
          (value) => {
            endCall(request);
            return entry.answer(value);
          },
          (thrown: unknown) => {
            endCall(request);
            throw entry.failure(thrown);
          },
        );
      }
    } catch (thrown) {
      endCall(request);
      throw entry.failure(thrown);
    }
    endCall(request);
    return entry.answer(raw);
  }

  /** Looks a hook up, for who fires it often. */
  hook(id: string, kind: FiredKind): HookEndpoint {
    return new GuestHook(this.#instance(id), hookHandler(this.#instance(id), kind), this.#around);
  }

  /** Settles when no call of an instance, or of any, is in flight. */
  async idle(id?: string): Promise<void> {
    const instances = id === undefined ? [...this.#instances.values()] : [this.#instances.get(id)];
    await Promise.all(instances.map((instance) => instance?.idle()));
  }

  /** It leaves: nothing of it runs by itself any more, and no other instance is opened. Calls go on. */
  quiet(): void {
    this.#ended = true;
    for (const { scope } of [...this.#opening.values(), ...this.#instances.values()]) scope.silence();
  }

  /** Ends an instance; unknown ones are ended already. Never rejects. */
  async close(id: string): Promise<void> {
    await this.#opening.get(id)?.abandon();
    const instance = this.#instances.get(id);
    if (instance === undefined) return;
    this.#instances.delete(id);
    instance.ended = true;
    instance.scope.end();
    await this.#closeState(instance);
    await instance.scope.dispose();
  }

  /** Ends every instance, the last one first, and takes no other. */
  async end(): Promise<void> {
    this.#ended = true;
    for (const id of [...this.#opening.keys()]) await this.close(id);
    for (const id of [...this.#instances.keys()].reverse()) await this.close(id);
  }

  #closeState({ part, scope, state }: Instance): Promise<void> {
    const { close } = part;
    return close === undefined ? Promise.resolve() : scope.finish('close', () => close(state));
  }

  #instance(id: string): Instance {
    const instance = this.#instances.get(id);
    if (instance === undefined) throw extensionError('extension_ended', id, { certainty: 'not_started' });
    return instance;
  }

  /** Says who runs until it has answered, where nobody else says it is done. */
  async #named<T>(run: () => T | Promise<T>): Promise<T> {
    try {
      return await (this.#running(run) as T | Promise<T>);
    } finally {
      this.#silent();
    }
  }

  /** Takes the word back, where nobody else has taken it. */
  #silent(): void {
    const { activity, number } = this.#around;
    if (activity[0] === number) activity[0] = 0;
  }

  /** Says who runs, and says it on where the handler answers later; a call within another's handler gives the word back. */
  #running(run: () => unknown): unknown {
    const { activity, number } = this.#around;
    const before = activity[0] ?? 0;
    activity[0] = number;
    let waits = false;
    try {
      const answer = run();
      waits = isThenable(answer);
      return answer;
    } finally {
      if (!waits) activity[0] = before;
    }
  }
}

class GuestHook implements HookEndpoint {
  readonly #instance: Instance;
  readonly #handler: (input: Json, ctx: unknown) => unknown;
  readonly #activity: Int32Array;
  readonly #number: number;

  constructor(instance: Instance, handler: (input: Json, ctx: unknown) => unknown, around: Surroundings) {
    this.#instance = instance;
    this.#handler = handler;
    this.#activity = around.activity;
    this.#number = around.number;
  }

  // The way that is gone most often: two stores say who runs, and nothing is restored that another call would have set.
  begin(firing: Firing, context: CallContext): unknown {
    const ctx = new LiveContext(firing, context, this.#instance);
    const handler = this.#handler;
    this.#activity[0] = this.#number;
    let answer: unknown;
    try {
      answer = handler(firing.input, ctx);
    } catch (thrown) {
      this.#activity[0] = 0;
      throw thrown;
    }
    // Whether it is a promise is asked once, by who fires; until the call ends, an object counts as one.
    if (typeof answer === 'object' && answer !== null) LiveContext.wait(ctx);
    else this.#activity[0] = 0;
    return answer;
  }
}
