import type { Clock, Random } from '@fairlead/base';
import type { Platform, TreeOwner } from '@fairlead/process';
import type { Store } from '@fairlead/store';
import type { Mask } from '../catalog/mask.ts';
import type { SecretRows } from '../oauth/secret-rows.ts';

/** What every server of one host stands on. All of it is the caller's to close, after the servers. */
export interface ServerFloor {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly platform: Platform;
  /** Ends what a killed host leaves. */
  readonly watchdog: TreeOwner;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Variables that hold secrets of the host: no program is given one. */
  readonly secretVariables: readonly string[];
  readonly secrets: SecretRows;
  /** A text without the secrets of the host, for what servers say of themselves and their tools. Absent: there are none. */
  readonly mask?: Mask;
  /** What relative folders of `fairlead.toml` are meant from. */
  readonly folder: string;
  /** The program's own, as servers are told it. */
  readonly version: string;
  readonly log: (
    level: 'info' | 'warn',
    event: string,
    fields: Readonly<Record<string, string | number>>,
  ) => void;
}
