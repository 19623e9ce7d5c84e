import type { Entry } from '../authoring/context.ts';
import type { Ask, HostSide, LogLine } from '../carrier/ask.ts';
import { extensionError } from '../errors.ts';
import { deepFreeze } from '../json/deep-freeze.ts';
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts';
import { plainJson } from '../json/plain-json.ts';
import { patchSettings } from '../settings/merge-settings.ts';
import { type FakeAgentState, FakeAgents } from './fake-agents.ts';

/** The session that every call of a harness belongs to. */
export const SESSION = 'session-1';

type FakeCap = Readonly<Record<string, unknown>>;

export interface FakeHostOptions {
  /** The extension's name. */
  readonly name: string;
  readonly caps: Readonly<Record<string, FakeCap | undefined>>;
  readonly entries: readonly Entry[];
  readonly settings: JsonObject;
  readonly agents: Readonly<Record<string, FakeAgentState>>;
  readonly now: () => number;
  /** Runs the test's own code, which is not the extension's. */
  readonly outside: <T>(piece: () => T) => T;
  readonly changed: (instance: string) => void;
}

/** The host as the harness plays it: entries in memory, caps of the test, settings of one session. */
export class FakeHost implements HostSide {
  readonly logs: string[] = [];
  readonly progress: string[] = [];
  readonly #options: FakeHostOptions;
  readonly #agents: FakeAgents;
  readonly #sessions = new Map<string, Entry[]>();
  #settings: JsonObject;
  #lastEntry = 0;

  constructor(options: FakeHostOptions) {
    this.#options = options;
    this.#settings = options.settings;
    this.#agents = new FakeAgents(options.agents);
    this.#sessions.set(SESSION, [...options.entries]);
  }

  /** What the session's own settings are now. */
  get settings(): JsonObject {
    return this.#settings;
  }

  /** Which caps are provided, as a context says it. */
  get capMethods(): { readonly [alias: string]: readonly string[] } {
    const methods: Record<string, readonly string[]> = {};
    for (const [alias, cap] of Object.entries(this.#options.caps))
      if (cap !== undefined)
        methods[alias] = Object.keys(cap).filter((name) => typeof cap[name] === 'function');
    return methods;
  }

  entriesOf(session: string): readonly Entry[] {
    return this.#sessions.get(session) ?? [];
  }

  log({ level, message, data }: LogLine): void {
    this.logs.push(
      data === undefined ? `${level}: ${message}` : `${level}: ${message} ${JSON.stringify(data)}`,
    );
  }

  changed(instance: string): void {
    this.#options.changed(instance);
  }

  ask(ask: Ask): Json | Promise<Json> {
    switch (ask.op) {
      case 'session.read':
        return this.#read(ask);
      case 'session.append':
        return this.#append(ask);
      case 'session.open':
        this.#sessions.set(ask.id, this.#sessions.get(ask.id) ?? []);
        return { id: ask.id };
      case 'settings.save':
        this.#settings = patchSettings(this.#settings, ask.patch);
        return null;
      case 'cap.call':
        return this.#callCap(ask);
      case 'progress':
        this.progress.push(ask.text);
        return null;
      default:
        return this.#agents.answer(ask);
    }
  }

  #read({ session, last, before }: Extract<Ask, { op: 'session.read' }>): Json {
    const entries = this.#sessions.get(session) ?? [];
    const end = before === undefined ? entries.length : entries.findIndex(({ id }) => id === before);
    return copied(entries.slice(Math.max(0, end - last), Math.max(0, end)), 'entries');
  }

  #append({ session, type, text, from }: Extract<Ask, { op: 'session.append' }>): Json {
    const { name, now } = this.#options;
    this.#lastEntry += 1;
    const id = `entry-${this.#lastEntry}`;
    const speaker =
      from === undefined
        ? { kind: 'extension', id: name }
        : {
            kind: 'client',
            id: `ext:${name}/${from.id}`,
            ...(from.name === undefined ? {} : { name: from.name }),
          };
    const entries = this.#sessions.get(session) ?? [];
    this.#sessions.set(session, entries);
    entries.push(deepFreeze({ id, type, at: now(), from: speaker, text }));
    return { id };
  }

  async #callCap({ alias, method, input }: Extract<Ask, { op: 'cap.call' }>): Promise<Json> {
    const run = this.#options.caps[alias]?.[method];
    if (typeof run !== 'function') throw extensionError('cap_unavailable', `${alias}.${method}`);
    try {
      const answer: unknown = await this.#options.outside(() => run(input));
      return copied(answer ?? null, `the answer of ${alias}.${method}`);
    } catch (thrown) {
      if (isJsonObject(thrown) && 'code' in thrown) throw thrown;
      throw extensionError('cap_failed', thrown instanceof Error ? thrown.message : String(thrown));
    }
  }
}

function copied(value: unknown, what: string): Json {
  const plain = plainJson(value);
  if (!plain.ok) throw extensionError('cap_failed', `${what}${plain.path} ${plain.message}`);
  return plain.value;
}
