import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '@fairlead/testing';
import { cloneInto } from './clone.ts';
import { personEnvironment, personPath } from './person-environment.ts';

type Ended = { readonly code: number | null; readonly stdout: string; readonly stderr: string };

function ended(child: ChildProcess): Promise<Ended> {
  return new Promise((resolve) => {
    let stdout = '';
    let stderr = '';
    child.stdout?.on('data', (chunk) => {
      stdout += String(chunk);
    });
    child.stderr?.on('data', (chunk) => {
      stderr += String(chunk);
    });
    child.on('close', (code) => resolve({ code, stdout, stderr }));
  });
}

/** A folder whose `npm` notes each call and then is the machine's own. */
function npmThatNotes(folder: string): { readonly path: string; calls(): string[] } {
  const log = join(folder, 'npm-calls');
  const npm = execFileSync('sh', ['-c', 'command -v npm'], {
    encoding: 'utf8',
    env: { ...process.env, PATH: personPath() },
  }).trim();
  mkdirSync(folder, { recursive: true });
  writeFileSync(log, '');
  writeFileSync(join(folder, 'npm'), `#!/bin/sh\necho "$*" >>"${log}"\nexec "${npm}" "$@"\n`);
  chmodSync(join(folder, 'npm'), 0o755);
  return {
    path: `${folder}${delimiter}${personPath()}`,
    calls: () =>
      readFileSync(log, 'utf8')
        .split('\n')
        .filter((line) => line.startsWith('ci')),
  };
}

const ownNodeIsNew =
  Number(
    execFileSync('node', ['-p', 'process.versions.node.split(".")[0]'], {
      encoding: 'utf8',
      env: { ...process.env, PATH: personPath() },
    }).trim(),
  ) >= 24;

test('the launcher in a clone where nothing is installed', { timeout: 900_000 }, async (t) => {
  const folder = temporaryFolder(t);
  const clone = join(folder, 'a clone with a space é');
  cloneInto(clone);

  await t.test(
    'ten commands at once install once and all succeed, with a home that cannot be written',
    async () => {
      const npm = npmThatNotes(join(folder, 'npm'));
      const env = personEnvironment({ PATH: npm.path, HOME: '/dev/null/no-home' });
      const runs = Array.from({ length: 10 }, () =>
        ended(spawn('./fairlead', ['--version'], { cwd: clone, env, stdio: ['ignore', 'pipe', 'pipe'] })),
      );
      for (const run of await Promise.all(runs)) {
        assert.equal(run.stdout, '0.1.0\n', run.stderr);
        assert.equal(run.code, 0);
      }
      // One for the packages, and one for the runtime where the machine's own Node is too old.
      assert.equal(npm.calls().length, ownNodeIsNew ? 1 : 2);
      assert.equal(existsSync(join(clone, '.node24')), !ownNodeIsNew);
    },
  );

  await t.test('a second run installs nothing and prints nothing but what was asked', async () => {
    const npm = npmThatNotes(join(folder, 'npm-second'));
    const run = await ended(
      spawn('./fairlead', ['--version'], {
        cwd: clone,
        env: personEnvironment({ PATH: npm.path }),
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
    );
    assert.deepEqual(run, { code: 0, stdout: '0.1.0\n', stderr: '' });
    assert.deepEqual(npm.calls(), []);
  });

  await t.test('works through npx and from another folder', async () => {
    const npx = await ended(
      spawn('npx', ['--no', '--', 'fairlead', '--version'], {
        cwd: clone,
        env: personEnvironment({}),
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
    );
    assert.equal(npx.stdout, '0.1.0\n', npx.stderr);
    const elsewhere = await ended(
      spawn(join(clone, 'fairlead'), ['--version'], {
        cwd: '/',
        env: personEnvironment({}),
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
    );
    assert.equal(elsewhere.stdout, '0.1.0\n', elsewhere.stderr);
  });

  await t.test('a bare npm ci is accepted, not repeated', async () => {
    rmSync(join(clone, 'node_modules'), { recursive: true });
    execFileSync('npm', ['ci', '--no-audit', '--no-fund'], {
      cwd: clone,
      env: personEnvironment({}),
      stdio: 'ignore',
    });
    const npm = npmThatNotes(join(folder, 'npm-bare'));
    const run = await ended(
      spawn('npm', ['run', '--silent', 'lint', '--', '--help'], {
        cwd: clone,
        env: personEnvironment({ PATH: npm.path }),
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
    );
    assert.equal(run.stderr.includes('installing dependencies'), false, run.stderr);
    assert.deepEqual(npm.calls(), []);
    assert.equal(existsSync(join(clone, 'packages/plugin-sdk/dist/index.js')), true);
  });

  await t.test('a changed lockfile is noticed by its digest', async () => {
    const lockfile = join(clone, 'package-lock.json');
    writeFileSync(lockfile, `${readFileSync(lockfile, 'utf8')}\n`);
    const npm = npmThatNotes(join(folder, 'npm-changed'));
    const run = await ended(
      spawn('./fairlead', ['--version'], {
        cwd: clone,
        env: personEnvironment({ PATH: npm.path }),
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
    );
    assert.equal(run.stdout, '0.1.0\n', run.stderr);
    // What is installed still fits the lockfile, so that nothing had to be fetched; the new digest is on record.
    assert.deepEqual(npm.calls(), []);
    const second = await ended(
      spawn('./fairlead', ['--version'], {
        cwd: clone,
        env: personEnvironment({}),
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
    );
    assert.deepEqual(second, { code: 0, stdout: '0.1.0\n', stderr: '' });
  });
});
