import type { Json } from '@fairlead/base';
import {
  type CompiledSchema,
  type Contributions,
  compileSchema,
  type ParseResult,
  type ToolContribution,
} from '@fairlead/extension/runtime';
import type { Tier } from '../install/extension-source.ts';
import type { LiveInstance } from '../instances/live-instance.ts';
import type { PreparedInstance } from './prepared-instance.ts';

/** A tool of a live set: what a model is shown, and whose it is. */
export interface LiveTool {
  readonly name: string;
  /** The extension's name. */
  readonly owner: string;
  readonly tier: Tier;
  readonly contribution: ToolContribution;
  readonly instance: LiveInstance;
  /** Checks arguments against the schema, applies defaults, freezes. */
  parse(args: Json): ParseResult;
}

/** A command of a live set. */
export interface LiveCommand {
  readonly name: string;
  readonly owner: string;
  readonly contribution: Contributions['commands'][number];
  readonly instance: LiveInstance;
  /** Undefined where what was contributed is no schema: nothing fits it. */
  readonly args: CompiledSchema | undefined;
}

export class OwnedTool implements LiveTool {
  readonly name: string;
  readonly owner: string;
  readonly tier: Tier;
  readonly contribution: ToolContribution;
  readonly instance: LiveInstance;
  readonly prepared: PreparedInstance;
  #schema: CompiledSchema | undefined;

  constructor(contribution: ToolContribution, prepared: PreparedInstance) {
    const { instance } = prepared;
    this.name = contribution.name;
    this.owner = instance.extension.name;
    this.tier = contribution.foreign?.tier ?? instance.extension.tier;
    this.contribution = contribution;
    this.instance = instance;
    this.prepared = prepared;
  }

  parse(args: Json): ParseResult {
    const { carrier } = this.instance.extension;
    if (carrier.parse !== undefined) return carrier.parse(this.instance.id, this.name, args);
    this.#schema ??= compiled(this.contribution.args);
    return this.#schema?.parse(args) ?? UNREADABLE;
  }
}

export class OwnedCommand implements LiveCommand {
  readonly name: string;
  readonly owner: string;
  readonly contribution: Contributions['commands'][number];
  readonly instance: LiveInstance;
  readonly prepared: PreparedInstance;
  #schema: CompiledSchema | undefined;

  constructor(contribution: Contributions['commands'][number], prepared: PreparedInstance) {
    const { instance } = prepared;
    this.name = contribution.name;
    this.owner = instance.extension.name;
    this.contribution = contribution;
    this.instance = instance;
    this.prepared = prepared;
  }

  get args(): CompiledSchema | undefined {
    this.#schema ??= compiled(this.contribution.args);
    return this.#schema;
  }
}

/**
 * Compiled at the first call: most tools of most sessions are never called. Undefined for what is no schema, which only the code
 * of a worker that does not use the guest runtime can contribute.
 */
function compiled(args: ToolContribution['args']): CompiledSchema | undefined {
  const compilation = compileSchema(args);
  return compilation.ok ? compilation.schema : undefined;
}

const UNREADABLE: ParseResult = Object.freeze({
  ok: false,
  fault: Object.freeze({ path: '', message: 'cannot be checked: the tool has no readable schema' }),
});
