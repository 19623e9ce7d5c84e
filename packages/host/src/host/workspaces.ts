import { mkdir, stat } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { hostError } from '../errors.ts';
import type { Sessions } from '../sessions/sessions.ts';

/** The folders of sessions on this machine. */
export class Workspaces {
  readonly #stateDirectory: string;
  readonly #sessions: Sessions;

  constructor(stateDirectory: string, sessions: Sessions) {
    this.#stateDirectory = stateDirectory;
    this.#sessions = sessions;
  }

  /** The one that the session was given, else its own in the state directory, made 0700. Rejects with a code of the system. */
  async of(session: string): Promise<string> {
    const given = await this.#sessions.workspace(session);
    if (given !== null) return given;
    const own = join(this.#stateDirectory, 'workspaces', session);
    await mkdir(own, { recursive: true, mode: 0o700 });
    return own;
  }

  /** Rejects with `session_invalid` what is no folder of this machine. */
  async check(workspace: string): Promise<void> {
    const found = isAbsolute(workspace) ? await stat(workspace).catch(() => undefined) : undefined;
    if (found?.isDirectory() !== true) throw hostError('session_invalid', 'workspace');
  }
}
