import type { Store } from '@fairlead/store';
import { type ManualClock, manualClock } from '@fairlead/testing';
import { FailureBook } from '../src/failures/failure-book.ts';
import type { Installed } from '../src/install/installed.ts';
import { Registry } from '../src/install/registry.ts';
import { Roster } from '../src/install/roster.ts';
import { Instances, type InstancesOptions } from '../src/instances/instances.ts';
import type { ScopeOf } from '../src/instances/live-instance.ts';
import type { HubReport } from '../src/report.ts';

/** Registry and instances over a clock that stands still. */
export interface RegistryFloor {
  readonly clock: ManualClock;
  readonly roster: Roster;
  readonly failures: FailureBook;
  readonly instances: Instances;
  readonly registry: Registry;
  readonly reports: HubReport[];
  /** What extensions said to the log, as `name: message`. */
  readonly logged: string[];
}

export interface FloorOptions
  extends Partial<Pick<InstancesOptions, 'settingsFor' | 'maxInstances' | 'reserved'>> {
  readonly store?: Store;
  readonly clock?: ManualClock;
}

/** Closed by itself at the end of the test. */
export async function registryFloor(
  t: { after(hook: () => Promise<void>): void } | undefined,
  options: FloorOptions = {},
): Promise<RegistryFloor> {
  const { clock = manualClock(), store = noStore(), settingsFor = () => ({}), ...rest } = options;
  const reports: HubReport[] = [];
  const logged: string[] = [];
  const report = (line: HubReport): void => void reports.push(line);
  const failures = await FailureBook.open({ store, clock, report });
  const roster = new Roster();
  const instances = new Instances({ roster, failures, clock, report, settingsFor, ...rest });
  const registry = new Registry({
    roster,
    instances,
    failures,
    clock,
    report,
    hostFor: ({ name }) => ({
      ask: () => null,
      log: ({ message }) => void logged.push(`${name}: ${message}`),
    }),
  });
  t?.after(() => registry.close());
  return { clock, roster, failures, instances, registry, reports, logged };
}

/** A store that keeps nothing. */
export function noStore(): Store {
  return {
    read: async () => [],
    write: async () => ({ changes: [] }),
    close: async () => {},
    [Symbol.asyncDispose]: async () => {},
  };
}

export function session(key: string): ScopeOf {
  return { kind: 'session', key, name: `session ${key}` };
}

export function agent(key: string): ScopeOf {
  return { kind: 'agent', key, name: `agent ${key}` };
}

export const names = (installed: readonly Pick<Installed, 'name'>[]) => installed.map(({ name }) => name);
