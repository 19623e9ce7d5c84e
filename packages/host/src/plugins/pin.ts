import type { Fault, JsonObject } from '@fairlead/base';
import type { Observed } from '@fairlead/dispatch';
import type { Catalog, CatalogRow } from '@fairlead/hub';
import { hostErrors } from '../errors.ts';
import type { PinTable } from './read-pins.ts';

/** A pin as a model is shown it. */
export interface PinnedTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly hints: { readonly destructiveHint?: boolean; readonly readOnlyHint?: boolean };
  /** Where it was seen and what was approved of it: another process or another definition is another target. */
  readonly target: string;
  /** Seconds; undefined where its Runner was not seen since the start. */
  readonly timeoutSecs?: number;
}

/** Why a pin is not shown, or cannot be called now. */
export interface PinNotice {
  readonly pin: string;
  readonly code: string;
  readonly reason: string;
}

/** One pin: what was approved, and where the tool is now. */
export class Pin {
  readonly table: PinTable;
  readonly catalog: Catalog;
  /** The tool as it is seen now, and the handle on it; undefined until its Runner is there. */
  seen: { readonly observed: Observed; readonly handle: string } | undefined;
  /** Why it is not seen. */
  unseen = 'runner_unavailable';

  constructor(table: PinTable, catalog: Catalog) {
    this.table = table;
    this.catalog = catalog;
  }

  get row(): CatalogRow | undefined {
    return this.catalog.row(this.table.tool);
  }

  /** True where it may be shown: it was seen once, and is offered as it was approved as far as anybody knows. */
  get holds(): boolean {
    return this.catalog.holds(this.table.tool);
  }

  isFor(agent: string): boolean {
    const { agents } = this.table;
    return agents === undefined || agents.some((name) => name.toLowerCase() === agent.toLowerCase());
  }

  /** Undefined where it may not be shown. */
  tool(): PinnedTool | undefined {
    const approved = this.row?.approved;
    if (!this.holds || approved === undefined) return undefined;
    const { definition } = approved;
    const { description, title, inputSchema, annotations } = definition;
    const words = [description, title, this.table.tool].find(
      (text) => typeof text === 'string' && text.trim() !== '',
    );
    return {
      name: this.table.name,
      description: String(words),
      inputSchema: inputSchema as JsonObject,
      hints: hintsIn(annotations as JsonObject | undefined),
      target: this.target,
      ...(this.seen === undefined ? {} : { timeoutSecs: this.seen.observed.timeoutSecs }),
    };
  }

  get target(): string {
    const { runner, plugin, tool } = this.table;
    return this.seen?.observed.target ?? `plugin:${runner}/${plugin}/${tool}#unseen`;
  }

  /** Why a call that was shown it as `target` may not begin; undefined where it may. */
  refusal(target: string): Fault | undefined {
    const code = this.#refusalCode(target);
    return code === undefined ? undefined : { code, message: PIN_WORDS[code] };
  }

  #refusalCode(target: string): keyof typeof PIN_WORDS | undefined {
    if (!this.holds) return 'plugin_schema_changed';
    if (this.seen === undefined) return 'runner_unavailable';
    return this.seen.observed.target === target ? undefined : 'plugin_replaced';
  }

  notice(): PinNotice | undefined {
    const pin = this.table.name;
    const state = this.row?.state;
    if (state === 'changed' || state === 'gone') {
      const reason =
        state === 'gone' ? 'its plugin does not offer it any more' : hostErrors.pin_changed.message;
      return { pin, code: 'plugin_schema_changed', reason };
    }
    return this.seen === undefined ? { pin, code: this.unseen, reason: 'it is not seen now' } : undefined;
  }
}

const PIN_WORDS = Object.freeze({
  plugin_schema_changed:
    'The plugin offers another tool than was approved under this name. Nothing was sent; somebody must approve it.',
  runner_unavailable:
    'The Runner of this tool is not connected, or its plugin is not ready. Nothing was sent.',
  plugin_replaced:
    'The plugin was started anew since this tool was shown. Nothing was sent; from the next turn it can be called.',
});

function hintsIn(annotations: JsonObject | undefined): PinnedTool['hints'] {
  const { destructiveHint, readOnlyHint } = annotations ?? {};
  return {
    ...(typeof destructiveHint === 'boolean' ? { destructiveHint } : {}),
    ...(typeof readOnlyHint === 'boolean' ? { readOnlyHint } : {}),
  };
}
