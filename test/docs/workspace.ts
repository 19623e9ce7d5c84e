import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import { repositoryRoot, waitFor } from '@fairlead/testing';

/** The home folder, and the clone in it, as pages write them. */
const WRITTEN_HOME = '/home/you';
const WRITTEN_CLONE = `${WRITTEN_HOME}/fairlead`;
const WRITTEN_URL = 'http://127.0.0.1:7420';

/** Only catches hanging: a block has several commands, and a busy machine takes ten times as long for each. */
const COMMAND_BUDGET_MS = 300_000;

/** How one block of commands ended. */
export type Ended = { readonly status: number | null; readonly output: string };

type Background = {
  readonly child: ChildProcess;
  readonly script: string;
  status: number | null | 'running';
};

/** What a page that needs a host has running before its first block: `npm start` without npm. */
export const UP = './fairlead up --examples';

/**
 * A person's machine for one page: a home folder, and in it a clone whose files are links to this repository's, so that it is
 * installed already and what a page writes stays here. The state directory is the clone's own, the port a free one.
 */
export class Workspace {
  readonly clone: string;
  readonly #home: string;
  readonly #env: Record<string, string>;
  readonly #background: Background[] = [];
  #url: string | null = null;

  /** `folder`: an empty one, removed by whoever made it. */
  constructor(folder: string) {
    this.#home = folder;
    this.clone = join(folder, 'fairlead');
    mkdirSync(this.clone);
    for (const name of readdirSync(repositoryRoot)) {
      if (name !== '.git' && name !== '.fairlead')
        symlinkSync(join(repositoryRoot, name), join(this.clone, name));
    }
    this.#env = {
      ...ownEnvironment(),
      HOME: folder,
      FAIRLEAD_STATE_DIR: join(this.clone, '.fairlead'),
      FAIRLEAD_PORT: '0',
    };
  }

  /** Writes a file that a page shows. */
  write(writtenPath: string, text: string, how: 'new' | 'append'): void {
    const path = resolve(this.clone, this.#here(writtenPath.replace(/^~/, WRITTEN_HOME)));
    mkdirSync(dirname(path), { recursive: true });
    const content = `${this.#here(text)}\n`;
    if (how === 'append') appendFileSync(path, `\n${content}`);
    else writeFileSync(path, content);
  }

  /** Runs a block of commands as a shell would, from the clone's folder; what it prints comes back as pages write it. */
  async run(script: string): Promise<Ended> {
    const { child, printed } = this.#spawn(script);
    const timer = setTimeout(() => child.kill('SIGKILL'), COMMAND_BUDGET_MS);
    const status = await new Promise<number | null>((settle) => child.once('close', settle));
    clearTimeout(timer);
    return { status, output: this.#written(printed()) };
  }

  /** Starts what stays in the foreground of a terminal of its own, and waits until it has printed `text`. */
  async start(script: string, text: string): Promise<string> {
    const { child, printed } = this.#spawn(`exec ${script}`);
    const started: Background = { child, script, status: 'running' };
    this.#background.push(started);
    child.once('close', (status) => {
      started.status = status;
    });
    await waitFor(() => printed().includes(text) || started.status !== 'running', {
      what: `${script} to print ${text}`,
      timeoutMs: COMMAND_BUDGET_MS,
    });
    assert.equal(started.status, 'running', `${script} ended early:\n${printed()}`);
    this.#url ??= /at (http:\/\/[^\s]+)/.exec(printed())?.[1] ?? null;
    return this.#written(printed());
  }

  /** Ends what was started, the last one first, as Ctrl-C would. Fails where one does not end well. */
  async close(): Promise<void> {
    for (let last = this.#background.pop(); last !== undefined; last = this.#background.pop()) {
      const { child, script } = last;
      // A page that stops its host has the address file gone; the process itself may take a moment more.
      if (
        last.status === 'running' &&
        (script !== UP || existsSync(join(this.clone, '.fairlead/server.json')))
      )
        child.kill('SIGINT');
      const started = last;
      await waitFor(() => started.status !== 'running', {
        what: `${script} to end`,
        timeoutMs: COMMAND_BUDGET_MS,
      });
      assert.equal(last.status, 0, `${script} ended with ${last.status}`);
    }
  }

  #spawn(script: string): { child: ChildProcess; printed: () => string } {
    const child = spawn('sh', ['-c', `exec 2>&1\nset -eu\n${this.#here(script)}`], {
      cwd: this.clone,
      env: this.#env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
    });
    return { child, printed: () => output };
  }

  /** A page's words in this machine's. */
  #here(text: string): string {
    const placed = text.replaceAll(WRITTEN_HOME, this.#home);
    return this.#url === null ? placed : placed.replaceAll(WRITTEN_URL, this.#url);
  }

  /** This machine's words in a page's. */
  #written(text: string): string {
    const placed = text
      .replaceAll(this.clone, WRITTEN_CLONE)
      .replaceAll(this.#home, WRITTEN_HOME)
      .replaceAll(repositoryRoot, WRITTEN_CLONE)
      // In a real clone the launcher stands in the folder where commands are typed.
      .replaceAll(`${WRITTEN_CLONE}/fairlead `, './fairlead ')
      // And there the directory is the one that commands find by themselves.
      .replaceAll(` --state-dir ${WRITTEN_CLONE}/.fairlead`, '');
    return this.#url === null ? placed : placed.replaceAll(this.#url, WRITTEN_URL);
  }
}

/** What a fresh shell of this machine has: nothing of npm's, of the test runner's or of Fairlead's. The Node of this run comes first. */
function ownEnvironment(): Record<string, string> {
  const kept = Object.entries(process.env).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined &&
      (entry[0] === 'FAIRLEAD_TEST_TOKEN' ||
        !/^(npm_|FAIRLEAD_|INIT_CWD$|NODE_(V8_|TEST_|OPTIONS$))/.test(entry[0])),
  );
  const path = (process.env['PATH'] ?? '')
    .split(delimiter)
    .filter((folder) => !folder.startsWith(join(repositoryRoot, 'node_modules')));
  return { ...Object.fromEntries(kept), PATH: [dirname(process.execPath), ...path].join(delimiter) };
}
