import type { Timer } from '@fairlead/base';
import type { ScopeKind } from '@fairlead/extension';
import type { Contributions, OpenRequest } from '@fairlead/extension/runtime';
import type { Fault } from '../failures/fault.ts';
import type { Installed } from '../install/installed.ts';
import { Moment } from '../install/moment.ts';
import type { CheckedInstance } from './check-instance.ts';
import type { InstanceScope, LiveInstance, RefusedContribution } from './live-instance.ts';

const NOTHING: Contributions = Object.freeze({
  tools: [],
  commands: [],
  hooks: [],
  prompt: false,
  tail: false,
  status: false,
  caps: [],
  routines: [],
  uses: [],
});

/** One instance from the moment it is wanted until it has ended. */
export class Slot implements LiveInstance {
  readonly id: string;
  readonly extension: Installed;
  readonly kind: ScopeKind;
  readonly key: string;
  readonly scope: InstanceScope;
  /** Counts up: instances end in the reverse order. */
  readonly born: number;
  contributions: Contributions = NOTHING;
  refused: readonly RefusedContribution[] = [];
  /** It is open; before, its flight tells. */
  opened = false;
  /** Settles when it has opened, or will not. Never rejects. */
  flight: Promise<Fault | undefined> = Promise.resolve(undefined);
  /** It was tried before, in vain: whoever needs the scope waits for it a moment, not for as long as it may take. */
  readonly again: boolean;
  /** Somebody went on without it. */
  missed = false;
  /** What it was opened with; absent until its carrier was asked. */
  request: OpenRequest | undefined;
  /** While what it contributes is read again. */
  rereading = false;
  /** It said `changed` since its contributions were last asked for. */
  stale = false;
  timer: Timer | undefined;
  /** It is taken: nobody waits for its opening any more. */
  readonly taken = new Moment();
  #ended: string | undefined;

  constructor(extension: Installed, scope: InstanceScope, born: number, again = false) {
    this.extension = extension;
    this.again = again;
    this.kind = scope === 'global' ? 'global' : scope.kind;
    this.key = scope === 'global' ? '' : scope.key;
    this.id = `${extension.name}.${this.kind}.${born}`;
    this.scope = scope;
    this.born = born;
  }

  get gone(): string | undefined {
    return this.#ended ?? this.extension.gone?.reason;
  }

  /** Whether it was taken off its list, whatever became of its extension. */
  get ended(): boolean {
    return this.#ended !== undefined;
  }

  show({ contributions, refused }: CheckedInstance): void {
    this.contributions = contributions;
    this.refused = refused;
  }

  /** It is on no list any more. */
  end(reason: string): void {
    this.#ended ??= reason;
    this.timer?.cancel();
    this.taken.come();
  }
}
