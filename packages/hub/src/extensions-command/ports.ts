import type { Clock } from '@fairlead/base';
import type { AgentDirectory } from '../agent-state/agent-directory.ts';
import type { Failure } from '../failures/failure.ts';
import type { Installed } from '../install/installed.ts';
import type { FailedExtension } from '../install/roster.ts';
import type { Waiting } from '../live/members.ts';
import type { SettingsBook } from '../settings/settings-book.ts';

/** An extension that runs here, as much of it as the command shows. */
export type RunningExtension = Pick<Installed, 'name' | 'ref' | 'manifest' | 'settings' | 'notice'>;

/** What `/extensions` reads and writes beside the logs. */
export interface ExtensionsPorts {
  readonly peerId: string;
  readonly clock: Clock;
  readonly agents: AgentDirectory;
  readonly settings: Pick<SettingsBook, 'shown' | 'own' | 'save' | 'unset' | 'mask'>;
  /** What runs here, in install order. */
  installed(): readonly RunningExtension[];
  /** What is installed and does not run. */
  failed(): readonly FailedExtension[];
  /** What failed here, at any scope. */
  failures(): readonly Failure[];
  /** What is on there and takes no part, and why; none where the session is not open. */
  waiting(session: string, agent: string | undefined): Promise<readonly Waiting[]>;
}
