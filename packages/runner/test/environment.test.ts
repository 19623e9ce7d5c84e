import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Entry, HostileProviders } from './hostile-providers.ts';

test('providers with the same folder and profile share one run of the init script', async (t) => {
  const providers = HostileProviders.prepare(t);
  const runs = join(providers.folder, 'runs');
  const other = join(providers.folder, 'other');
  mkdirSync(other);
  const entry = (id: string, more: string): Entry => ({ id, more });
  providers.write(
    [
      entry('a', 'profile = "p"'),
      entry('b', 'profile = "p"'),
      entry('c', 'profile = "q"'),
      entry('d', `cwd = ${JSON.stringify(other)}`),
      entry('e', ''),
    ],
    `
[shell]
default_profile = "p"
[shell.profiles.p]
init_script = ${JSON.stringify(`echo p >> '${runs}'`)}
[shell.profiles.q]
init_script = ${JSON.stringify(`echo q >> '${runs}'`)}
`,
  );
  await providers.begin();
  assert.deepEqual(
    providers.set.rows().map(({ status }) => status),
    ['ready', 'ready', 'ready', 'ready', 'ready'],
  );
  assert.deepEqual(readFileSync(runs, 'utf8').trim().split('\n').sort(), ['p', 'p', 'q']);
});

test('the environment is the Runner’s, then the shell’s, the profile’s, and what the script makes of them', async (t) => {
  const providers = HostileProviders.prepare(t);
  providers.write(
    [{ id: 'a', scenario: 'stderr-marker', more: 'profile = "p"' }],
    `
[shell.env]
FIRST = "shell"
SECOND = "shell"
[shell.profiles.p]
env = { SECOND = "profile" }
init_script = 'export HOSTILE_MARKER="$FIRST $SECOND script"'
`,
  );
  await providers.begin();
  const [line] = providers.set.stderrOf('a')?.committed?.lines() ?? [];
  assert.equal(line?.text, 'planted-stderr-marker shell profile script');
});

for (const [profile, expected] of [
  ['', ['-NoLogo', '-NoProfile', '-NonInteractive', '-Command']],
  ['args = ["-File"]', ['-File']],
  ['dialect = "posix"', ['-c']],
] as const) {
  test(`a profile that names a program of its own speaks its language: ${profile || 'by its name'}`, async (t) => {
    const providers = HostileProviders.prepare(t);
    const shell = join(providers.folder, 'pwsh');
    const seen = join(providers.folder, 'args');
    writeFileSync(shell, `#!/bin/sh\nfor arg; do printf '%s\\n' "$arg"; done > '${seen}'\nexit 3\n`);
    chmodSync(shell, 0o755);
    providers.write(
      [{ id: 'a', more: 'profile = "p"' }],
      `[shell.profiles.p]\nprogram = ${JSON.stringify(shell)}\n${profile}\ninit_script = "true"`,
    );
    await providers.begin();
    assert.equal(providers.state('a'), 'plugin_environment_prepare_failed');
    assert.deepEqual(readFileSync(seen, 'utf8').split('\n').slice(0, expected.length), expected);
  });
}
