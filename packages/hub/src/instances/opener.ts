import type { Clock } from '@fairlead/base';
import type { JsonObject } from '@fairlead/extension';
import { budgets, type Contributions, extensionErrors } from '@fairlead/extension/runtime';
import { hubErrors } from '../errors.ts';
import { type Fault, faultOf } from '../failures/fault.ts';
import type { Installed } from '../install/installed.ts';
import { within } from '../install/within.ts';
import { hubLimits } from '../limits.ts';
import type { HubReport, Report } from '../report.ts';
import { checkInstance } from './check-instance.ts';
import type { InstanceScope } from './live-instance.ts';
import type { Slot } from './slot.ts';

export interface OpenerOptions {
  readonly clock: Clock;
  readonly report: Report;
  /** Hides what no reason may hold. Default: nothing. */
  readonly mask?: (text: string) => string;
  settingsFor(extension: Installed, scope: InstanceScope): JsonObject | Promise<JsonObject>;
  readonly reserved: ReadonlySet<string>;
}

/** Opens an instance, reads again what it contributes, and ends it, each within its time, whatever the extension does. */
export class Opener {
  readonly #options: OpenerOptions;

  constructor(options: OpenerOptions) {
    this.#options = options;
  }

  /** Opens it; answers why not, where it does not open by itself. One that was taken meanwhile is nobody's fault. */
  async open(slot: Slot, scope: InstanceScope): Promise<Fault | undefined> {
    const { clock, settingsFor, reserved } = this.#options;
    const { id, extension, kind, key } = slot;
    const opening = (async () => {
      const settings = await settingsFor(extension, scope);
      if (slot.ended) return undefined;
      slot.request = {
        instance: id,
        kind,
        key,
        settings,
        ...(scope === 'global' ? {} : { name: scope.name }),
      };
      return extension.carrier.open(slot.request);
    })();
    try {
      const came = await within(clock, budgets.openMs, opening, slot.taken);
      if (slot.ended || came === 'given_up') return undefined;
      if (came === 'late')
        return { code: 'instantiate_timeout', reason: extensionErrors.instantiate_timeout.message };
      if (came.value === undefined) return undefined;
      slot.show(checkInstance(extension.manifest, kind, came.value, reserved));
      this.#tellRefused(slot);
      return undefined;
    } catch (thrown) {
      if (slot.ended) return undefined;
      const { code, reason } = faultOf(thrown, 'instantiate_failed');
      return { code, reason: this.#options.mask?.(reason) ?? reason };
    }
  }

  /**
   * Asks again what it contributes, and tells `changed` where that is another answer than before. What fails leaves the old one. What
   * comes late is waited for by nobody, and taken when it comes: its extension calls the tools of that answer from then on.
   */
  async reread(slot: Slot, changed: () => void): Promise<void> {
    const { clock, report } = this.#options;
    const { extension, request } = slot;
    if (request === undefined) return;
    const reading = (async () => {
      const contributions = await extension.carrier.open(request);
      if (!slot.ended && this.#renew(slot, contributions)) changed();
    })();
    try {
      if ((await within(clock, budgets.openMs, reading, slot.taken)) === 'late')
        throw new Error(extensionErrors.instantiate_timeout.message);
    } catch (thrown) {
      if (!slot.ended) report({ ...reportedPlace(slot), ...faultOf(thrown, 'instantiate_failed') });
    }
  }

  /** Whether it contributes something else now. */
  #renew(slot: Slot, contributions: Contributions): boolean {
    const { extension, kind } = slot;
    const checked = checkInstance(extension.manifest, kind, contributions, this.#options.reserved);
    if (JSON.stringify(checked.contributions) === JSON.stringify(slot.contributions)) return false;
    slot.show(checked);
    this.#tellRefused(slot);
    return true;
  }

  /** Ends it within 5 s; one that takes longer is told, and left. Never rejects. */
  async close(slot: Slot): Promise<void> {
    const { clock, report } = this.#options;
    // A carrier that was never asked has nothing to end, and a dead one has ended.
    if (slot.request === undefined || slot.extension.carrier.dead !== undefined) return;
    try {
      const ended = (async () => slot.extension.carrier.close(slot.id))();
      if ((await within(clock, hubLimits.closeMs, ended)) === 'late')
        report({
          ...reportedPlace(slot),
          code: 'instance_close_late',
          reason: hubErrors.instance_close_late.message,
        });
    } catch (thrown) {
      report({ ...reportedPlace(slot), ...faultOf(thrown, 'instance_close_late') });
    }
  }

  #tellRefused(slot: Slot): void {
    for (const { code, what } of slot.refused)
      this.#options.report({ ...reportedPlace(slot), code, reason: `${what} was left out` });
  }
}

/** Where something happened, for a report. */
export function reportedPlace({
  extension,
  kind,
  key,
}: Slot): Pick<HubReport, 'extension' | 'scope' | 'key'> {
  return { extension: extension.name, scope: kind, ...(key === '' ? {} : { key }) };
}
