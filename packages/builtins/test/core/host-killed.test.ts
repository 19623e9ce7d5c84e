import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { hygiene, requires, temporaryFolder, waitFor } from '@fairlead/testing';
import { BUBBLEWRAP } from './core-floor.ts';

test('a host that is killed leaves no command behind, in a sandbox or out of one', {
  skip: requires('bubblewrap') || requires('setsid'),
}, async (t) => {
  hygiene(t);
  const workspace = temporaryFolder(t);
  const program = join(import.meta.dirname, '../fixtures/host-with-commands.ts');
  const host = spawn(process.execPath, [program, workspace, BUBBLEWRAP], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => host.kill('SIGKILL'));
  const began = () =>
    ['began-0', 'began-1'].every((name) => existsSync(join(workspace, name))) &&
    sleepers(host.pid).length === 4;
  await waitFor(began, { what: 'both commands' });
  const gone = once(host, 'close');
  host.kill('SIGKILL');
  await gone;
  await waitFor(() => sleepers(host.pid).length === 0, { what: 'the commands to be gone' });
});

/** The processes that say by their arguments whose they are. */
function sleepers(host: number | undefined): readonly string[] {
  const theirs = [`sleep\x00600.${host}\x00`, `sleep\x00601.${host}\x00`];
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name) && theirs.includes(commandLine(name)));
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1');
  } catch {
    return '';
  }
}
