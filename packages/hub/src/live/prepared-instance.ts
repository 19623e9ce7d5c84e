import {
  type CapabilityRequest,
  type Contributions,
  type FiredKind,
  type HookEndpoint,
  isHostOnly,
} from '@fairlead/extension/runtime';
import type { LiveInstance } from '../instances/live-instance.ts';
import { OwnedCommand, OwnedTool } from './live-tool.ts';

/** Session over agent over global: where equal names meet, the higher rank is called. */
export const RANKS = Object.freeze({ global: 0, agent: 1, session: 2 });

/** Everything of an instance that does not depend on who asks: made once for what it contributes, used by every live set. */
export class PreparedInstance {
  readonly instance: LiveInstance;
  readonly rank: number;
  /** As they were when a set was built; an instance that says `changed` has others afterwards. */
  readonly contributions: Contributions;
  /** The caps without which its extension is left out. */
  readonly needs: readonly CapabilityRequest[];
  readonly tools: readonly OwnedTool[];
  readonly commands: readonly OwnedCommand[];
  /** What is fired, looked up once. */
  readonly fired: readonly (readonly [FiredKind, HookEndpoint])[];

  constructor(instance: LiveInstance, fired: PreparedInstance['fired']) {
    const { contributions, extension, kind } = instance;
    this.instance = instance;
    this.rank = RANKS[kind];
    this.contributions = contributions;
    this.needs = extension.manifest.requires.filter((need) => !isHostOnly(need.kind));
    this.tools = contributions.tools.map((tool) => new OwnedTool(tool, this));
    this.commands = contributions.commands.map((command) => new OwnedCommand(command, this));
    this.fired = fired;
  }
}

/** Prepares each instance once for what it contributes. */
export class PreparedInstances {
  readonly #prepared = new WeakMap<Contributions, PreparedInstance>();

  /** Undefined for an instance that ended meanwhile. */
  of(instance: LiveInstance): PreparedInstance | undefined {
    const known = this.#prepared.get(instance.contributions);
    if (known !== undefined) return known;
    const fired = firedBy(instance);
    if (fired === undefined) return undefined;
    const prepared = new PreparedInstance(instance, fired);
    this.#prepared.set(instance.contributions, prepared);
    return prepared;
  }
}

function firedBy({ contributions, extension, id }: LiveInstance): PreparedInstance['fired'] | undefined {
  try {
    return firedKinds(contributions).map((kind) => [kind, extension.carrier.hook(id, kind)]);
  } catch {
    // Looking a hook up fails for one reason: there is no such instance any more.
    return undefined;
  }
}

function firedKinds({ hooks, prompt, tail, status }: Contributions): readonly FiredKind[] {
  const kinds: FiredKind[] = [...hooks];
  if (prompt) kinds.push('prompt');
  if (tail) kinds.push('tail');
  if (status) kinds.push('status');
  return kinds;
}
