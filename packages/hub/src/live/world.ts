import type { JsonObject } from '@fairlead/base';
import type { CallContext, UsedCap } from '@fairlead/extension/runtime';
import { SETTINGS_DOC } from '../settings/settings-layer.ts';
import { CallCell, type Readiness } from './call-cell.ts';
import { type CapProviders, methodsOf } from './cap-providers.ts';
import type { Engine } from './engine.ts';
import type { LiveAgent } from './live-agent.ts';
import type { LiveSession } from './live-session.ts';
import type { PreparedInstance } from './prepared-instance.ts';

export interface WorldParts {
  readonly engine: Engine;
  readonly caps: CapProviders;
  readonly session?: LiveSession | undefined;
  readonly agent?: LiveAgent | undefined;
}

/** What one call may be told and reach: a session, an agent, the settings that hold for them, and who provides which cap. */
export class World {
  readonly engine: Engine;
  readonly caps: CapProviders;
  readonly session: LiveSession | undefined;
  readonly agent: LiveAgent | undefined;
  readonly #cells = new Map<PreparedInstance, CallCell>();
  #epoch = 0;
  #sessionChanges: number | undefined;
  #agentChanges: number | undefined;

  constructor({ engine, caps, session, agent }: WorldParts) {
    this.engine = engine;
    this.caps = caps;
    this.session = session;
    this.agent = agent;
  }

  cell(prepared: PreparedInstance): CallCell {
    return this.#cells.get(prepared) ?? this.newCell(prepared);
  }

  /** The same for an instance that has none yet. */
  newCell(prepared: PreparedInstance): CallCell {
    const cell = new CallCell(this, prepared);
    this.#cells.set(prepared, cell);
    return cell;
  }

  /**
   * Sees to it that the contexts of all these hold the settings of now. At once, and without a look at any of them, where no
   * settings were written since the last time. Never rejects: a cell whose settings cannot be read says so itself.
   */
  ready(readiness: Readiness): Promise<void> | undefined {
    const epoch = this.#look();
    if (readiness.epoch === epoch) return undefined;
    const waits: Promise<void>[] = [];
    for (const cell of readiness.cells) {
      const wait = this.#refresh(cell, epoch);
      if (wait !== undefined) waits.push(wait);
    }
    const settle = (): void => {
      if (readiness.cells.every((cell) => cell.epoch === epoch)) readiness.epoch = epoch;
    };
    if (waits.length > 0) return Promise.all(waits).then(settle);
    settle();
    return undefined;
  }

  /** The same for one. */
  refresh(cell: CallCell): Promise<void> | undefined {
    return this.#refresh(cell, this.#look());
  }

  /** Who answers a cap now: the first that can be called. */
  providerOf({ kind, provider }: Pick<UsedCap, 'kind' | 'provider'>): PreparedInstance | undefined {
    return this.caps
      .get(kind)
      ?.find(
        ({ instance }) =>
          (provider === undefined || instance.extension.name === provider) && instance.gone === undefined,
      );
  }

  contextOf({ contributions }: PreparedInstance, settings: JsonObject): CallContext {
    const caps: Record<string, readonly string[]> = {};
    for (const need of contributions.uses) {
      const provider = this.providerOf(need);
      if (provider !== undefined) caps[need.alias] = methodsOf(provider, need.kind);
    }
    return {
      ...(this.agent === undefined ? {} : { agent: this.agent.view }),
      ...(this.session === undefined ? {} : { session: this.session.id }),
      settings,
      caps,
    };
  }

  #refresh(cell: CallCell, epoch: number): Promise<void> | undefined {
    if (cell.epoch === epoch) return undefined;
    const place = {
      ...(this.session === undefined ? {} : { session: this.session.database }),
      ...(this.agent === undefined ? {} : { agent: this.agent.database }),
    };
    const settings = this.engine.settings.for(cell.prepared.instance.extension, place);
    if (settings instanceof Promise)
      return settings.then(
        (values) => cell.take(values, epoch),
        (error: unknown) => cell.fail(error),
      );
    cell.take(settings, epoch);
    return undefined;
  }

  /** A number that moves when settings that hold here may have changed. */
  #look(): number {
    const session = this.session?.database.changes(SETTINGS_DOC);
    const agent = this.agent?.database.changes(SETTINGS_DOC);
    if (session !== this.#sessionChanges || agent !== this.#agentChanges) {
      this.#sessionChanges = session;
      this.#agentChanges = agent;
      this.#epoch += 1;
    }
    return this.#epoch;
  }
}
