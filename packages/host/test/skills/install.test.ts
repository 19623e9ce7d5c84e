import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { FairleadError } from '@fairlead/base';
import { hygiene, requires } from '@fairlead/testing';
import { skillSource } from '../../src/skills/install/skill-source.ts';
import { skillsRoom, skillText } from './skills-room.ts';

const NONE = new Set<string>();
const { signal } = new AbortController();

/** A repository on this disk, and what git says to it. */
function repository(t: TestContext, folder: string) {
  const at = join(folder, 'upstream');
  mkdirSync(at);
  const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1', HOME: folder };
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-C', at, '-c', 'user.name=t', '-c', 'user.email=t@t', ...args], {
      env,
      encoding: 'utf8',
    }).trim();
  git('init', '--quiet', '--initial-branch=main');
  t.after(() => rmSync(at, { recursive: true, force: true }));
  return {
    ...{ at, git, url: `file://${at}` },
    /** Commits these files and answers the commit. */
    commit(files: Readonly<Record<string, string>>): string {
      for (const [path, content] of Object.entries(files)) {
        mkdirSync(dirname(join(at, path)), { recursive: true });
        writeFileSync(join(at, path), content);
      }
      git('add', '--all');
      git('commit', '--quiet', '--message=x');
      return git('rev-parse', 'HEAD');
    },
  };
}

test('from a folder: it stands among the installed ones, with its digest, and is not trusted', async (t) => {
  hygiene(t);
  const r = await skillsRoom(t);
  const source = dirname(r.write('elsewhere/a/SKILL.md', skillText('a')));
  r.write('elsewhere/a/scripts/x.sh', 'echo');
  r.write('elsewhere/a/.git/config', 'x');
  const done = await r.skills.install({ source }, {}, signal);
  assert.deepEqual([done.name, done.revision, done.files], ['a', null, 1]);
  assert.deepEqual(await r.states(), ['a untrusted installed']);
  const [row] = await r.skills.installed();
  assert.deepEqual({ ...row }, { name: 'a', source, ref: null, revision: null, digest: done.digest });
  assert.equal((await r.trust('a')).digest, done.digest);
  assert.deepEqual(await r.states(), ['a offered installed']);
  assert.deepEqual(readdirSync(join(r.stateDirectory, 'skills', 'a')), ['SKILL.md', 'scripts']);
  // Somebody changes it where it stands: what was trusted is another.
  writeFileSync(join(r.stateDirectory, 'skills', 'a', 'scripts', 'x.sh'), 'other');
  assert.deepEqual(await r.states(), ['a changed installed']);
  // Again from there: as it was.
  await r.skills.install({ source }, {}, signal);
  assert.deepEqual(await r.states(), ['a offered installed']);
  assert.deepEqual(readdirSync(join(r.stateDirectory, 'skills')), ['a']);
});

test('the same name from elsewhere is refused; after it was removed it is free, and its trust is gone', async (t) => {
  const r = await skillsRoom(t);
  const one = dirname(r.write('one/a/SKILL.md', skillText('a')));
  const two = dirname(r.write('two/a/SKILL.md', skillText('a')));
  await r.skills.install({ source: one }, {}, signal);
  await r.trust('a');
  await assert.rejects(r.skills.install({ source: two }, {}, signal), { code: 'skill_exists' });
  await r.skills.remove('a', {});
  assert.deepEqual(await r.states(), []);
  await r.skills.install({ source: two }, {}, signal);
  assert.deepEqual(await r.states(), ['a untrusted installed']);
  await assert.rejects(r.skills.remove('b', {}), { code: 'skill_unknown' });
});

test('a skill whose row the disk does not take leaves what stood there', async (t) => {
  const r = await skillsRoom(t);
  const one = dirname(r.write('elsewhere/a/SKILL.md', skillText('a')));
  const two = dirname(r.write('elsewhere/b/SKILL.md', skillText('b')));
  await r.skills.install({ source: one }, {}, signal);
  await r.trust('a');
  r.write('elsewhere/a/x.md', 'newer');
  const disk = t.mock.method(r.floor.store, 'write', () =>
    Promise.reject(new FairleadError('store_disk_full', 'No room.')),
  );
  await assert.rejects(r.skills.install({ source: one }, {}, signal), { code: 'store_disk_full' });
  await assert.rejects(r.skills.install({ source: two }, {}, signal), { code: 'store_disk_full' });
  disk.mock.restore();
  assert.deepEqual(await r.states(), ['a offered installed']);
  assert.deepEqual(readdirSync(join(r.stateDirectory, 'skills')), ['a']);
  await r.skills.install({ source: one }, {}, signal);
  assert.deepEqual(await r.states(), ['a changed installed']);
});

test('what cannot be read is not installed, and the reason has its line', async (t) => {
  const r = await skillsRoom(t);
  const bad = dirname(r.write('elsewhere/bad/SKILL.md', '---\nname: bad\n: :\n---\n'));
  await assert.rejects(r.skills.install({ source: bad }, {}, signal), {
    code: 'skill_invalid',
    message: /line 3: /,
  });
  const other = dirname(r.write('elsewhere/other/SKILL.md', skillText('a')));
  await assert.rejects(r.skills.install({ source: other }, {}, signal), {
    code: 'skill_invalid',
    message: /calls itself a and stands under the name other/,
  });
  await assert.rejects(r.skills.install({ source: '/nowhere' }, {}, signal), {
    code: 'skill_source_invalid',
  });
  const linked = dirname(r.write('elsewhere/linked/SKILL.md', skillText('linked')));
  symlinkSync('/etc/passwd', join(linked, 'x'));
  await assert.rejects(r.skills.install({ source: linked }, {}, signal), { code: 'skill_invalid' });
  assert.deepEqual(await r.skills.installed(), []);
});

test('into an agent it is trusted, because this peer wrote it there; a file that is no text is refused', async (t) => {
  const r = await skillsRoom(t);
  const source = dirname(r.write('elsewhere/a/SKILL.md', skillText('a')));
  await r.skills.install({ source }, { agent: 'ann' }, signal);
  assert.deepEqual(await r.states(), ['a offered agent']);
  r.write('elsewhere/a/x.bin', Buffer.from([0xff, 0]));
  await assert.rejects(r.skills.install({ source }, { agent: 'ann' }, signal), {
    code: 'skill_invalid',
    message: /x\.bin is no text/,
  });
  r.write('elsewhere/a/x.bin', 'x'.repeat(1024 * 1024));
  await assert.rejects(r.skills.install({ source }, { agent: 'ann' }, signal), {
    code: 'skill_invalid',
    message: /larger than 900 KiB/,
  });
  await r.skills.remove('a', { agent: 'ann' });
  assert.deepEqual(await r.states(), []);
  await assert.rejects(r.skills.install({ source }, { agent: 'nobody' }, signal), { code: 'agent_unknown' });
  await assert.rejects(r.skills.install({ source }, { bank: 'none' }, signal), { code: 'bank_unknown' });
});

test('from a repository: a ref is resolved to its commit, and later commits change nothing', {
  skip: requires('git'),
}, async (t) => {
  hygiene(t);
  const r = await skillsRoom(t);
  const upstream = repository(t, r.floor.folder);
  const first = upstream.commit({ 'skills/a/SKILL.md': skillText('a'), 'skills/a/x': '1', 'other/y': '' });
  upstream.git('tag', 'v1');
  const second = upstream.commit({ 'skills/a/x': '2' });
  const words = { source: upstream.url, inner: 'skills/a' };
  const one = await r.skills.install({ ...words, ref: 'v1' }, {}, signal);
  assert.equal(one.revision, first);
  assert.equal(readFileSync(join(r.stateDirectory, 'skills/a/x'), 'utf8'), '1');
  const [row] = await r.skills.installed();
  assert.deepEqual(
    { ...row },
    { name: 'a', source: upstream.url, ref: 'v1', revision: first, digest: one.digest },
  );
  await r.trust('a');
  // The repository's own choice, then a commit by its number.
  assert.equal((await r.skills.install(words, {}, signal)).revision, second);
  assert.deepEqual(await r.states(), ['a changed installed']);
  assert.equal((await r.skills.install({ ...words, ref: first }, {}, signal)).revision, first);
  assert.deepEqual(await r.states(), ['a offered installed']);
  assert.deepEqual(readdirSync(join(r.stateDirectory, 'skills')), ['a']);
});

test('a repository that is a skill as a whole; a folder of this machine with a ref is one too', {
  skip: requires('git'),
}, async (t) => {
  const r = await skillsRoom(t);
  const upstream = repository(t, r.floor.folder);
  const commit = upstream.commit({ 'SKILL.md': skillText('whole'), 'x.md': 'x' });
  const done = await r.skills.install({ source: upstream.at, ref: 'main' }, {}, signal);
  assert.deepEqual([done.name, done.revision, done.files], ['whole', commit, 1]);
  assert.equal(existsSync(join(r.stateDirectory, 'skills/whole/.git')), false);
});

test('nothing of a repository runs: no hook, no filter, no submodule, no link out', {
  skip: requires('git'),
}, async (t) => {
  const r = await skillsRoom(t);
  const upstream = repository(t, r.floor.folder);
  const mark = join(r.floor.folder, 'ran');
  upstream.commit({
    'a/SKILL.md': skillText('a'),
    'a/x.txt': 'x',
    '.gitattributes': '* filter=evil\n',
    '.gitmodules': '[submodule "s"]\n\tpath = s\n\turl = file:///nowhere\n',
  });
  upstream.git('config', 'filter.evil.smudge', `touch ${mark}; cat`);
  writeFileSync(join(upstream.at, '.git/hooks/post-checkout'), `#!/bin/sh\ntouch ${mark}\n`, { mode: 0o755 });
  await r.skills.install({ source: upstream.url, inner: 'a' }, {}, signal);
  assert.equal(existsSync(mark), false);
  mkdirSync(join(r.floor.folder, 'private'));
  r.write('private/SKILL.md', skillText('out'));
  symlinkSync(join(r.floor.folder, 'private'), join(upstream.at, 'out'));
  upstream.commit({});
  await assert.rejects(r.skills.install({ source: upstream.url, inner: 'out' }, {}, signal), {
    code: 'skill_source_invalid',
  });
  await assert.rejects(r.skills.install({ source: upstream.url, inner: 'none' }, {}, signal), {
    code: 'skill_source_invalid',
  });
});

test('what git cannot fetch is told in its words, and leaves nothing', {
  skip: requires('git'),
}, async (t) => {
  const r = await skillsRoom(t);
  const upstream = repository(t, r.floor.folder);
  upstream.commit({ 'SKILL.md': skillText('a') });
  await assert.rejects(r.skills.install({ source: upstream.url, ref: 'nowhere' }, {}, signal), {
    code: 'skill_fetch_failed',
    message: /nowhere/,
  });
  await assert.rejects(r.skills.install({ source: `${upstream.url}-gone` }, {}, signal), {
    code: 'skill_fetch_failed',
  });
  await assert.rejects(r.skills.install({ source: upstream.url }, {}, AbortSignal.abort()), {
    code: 'skill_fetch_failed',
    message: /nobody waited/,
  });
  assert.deepEqual(readdirSync(join(r.stateDirectory, 'skills')), []);
});

test('a repository that grows without end is ended with the process that fetches it', async (t) => {
  hygiene(t);
  const r = await skillsRoom(t);
  const bin = join(r.floor.folder, 'bin');
  mkdirSync(bin);
  // Stands in for git: a file of 300 MiB that takes no room, then nothing more.
  writeFileSync(
    join(bin, 'git'),
    `#!/bin/sh\ndd if=/dev/zero of=pack bs=1 count=1 seek=314572800 2>/dev/null\nsleep 1000\n`,
    { mode: 0o755 },
  );
  const large = await skillsRoom(t, {
    git: { ...r.git, env: { PATH: `${bin}:${process.env['PATH'] ?? ''}` } },
  });
  await assert.rejects(large.skills.install({ source: 'https://example.invalid/x' }, {}, signal), {
    code: 'skill_fetch_failed',
    message: /larger than 256 MiB/,
  });
  assert.deepEqual(readdirSync(join(large.stateDirectory, 'skills')), []);
});

test('without git on this machine that is what it says', async (t) => {
  const r = await skillsRoom(t);
  const bare = await skillsRoom(t, {
    git: {
      ...{ platform: 'linux', random: r.floor.random, env: { PATH: '/nowhere' } },
      watchdog: { token: 'none', watch() {}, forget() {} } as never,
    },
  });
  await assert.rejects(bare.skills.install({ source: 'https://example.invalid/x' }, {}, signal), {
    code: 'skill_fetch_failed',
    message: /no git/,
  });
});

test('what a host that was killed left half-made is cleared with the next installation', async (t) => {
  const r = await skillsRoom(t);
  r.write('state/skills/.new-x/SKILL.md', skillText('a'));
  r.write('state/skills/.fetch-y/z', '');
  const source = dirname(r.write('elsewhere/a/SKILL.md', skillText('a')));
  await r.skills.install({ source }, {}, signal);
  assert.deepEqual(readdirSync(join(r.stateDirectory, 'skills')), ['a']);
  assert.deepEqual((await r.skills.here(r.place, NONE)).refused, []);
});

test('a source is a folder or an address that runs no program, and never an option of git', () => {
  const told = (source: string, ref?: string, inner?: string): string => {
    try {
      const read = skillSource(
        { source, ...(ref === undefined ? {} : { ref }), ...(inner === undefined ? {} : { inner }) },
        '/home/ada',
      );
      return read.kind === 'folder'
        ? `folder ${read.path}`
        : `git ${[read.url, read.ref, read.inner].join(' ').trim()}`;
    } catch (error) {
      assert.equal((error as { code?: string }).code, 'skill_source_invalid');
      return 'refused';
    }
  };
  assert.deepEqual(
    [
      told('/a/b'),
      told('~/b'),
      told('/a', undefined, 'b'),
      told('/a', 'main'),
      told('https://example.org/x.git'),
      told('https://example.org/x.git', 'v1', 'a/b'),
      told('git@example.org:x/y.git'),
      told('ssh://git@example.org/x'),
      told('file:///x'),
    ],
    [
      'folder /a/b',
      'folder /home/ada/b',
      'folder /a/b',
      'git file:///a main',
      'git https://example.org/x.git',
      'git https://example.org/x.git v1 a/b',
      'git git@example.org:x/y.git',
      'git ssh://git@example.org/x',
      'git file:///x',
    ],
  );
  for (const [source, ref, inner] of [
    ['a/b'],
    ['-x'],
    ['--upload-pack=x', 'main'],
    ['ext::sh -c x'],
    ['http://example.org/x'],
    ['git://example.org/x'],
    ['https://user:secret@example.org/x'],
    ['https://ghp_token@example.org/x'],
    ['https://ghp_token:@example.org/x'],
    ['https://a@b@example.org/x'],
    ['https://example.org/x?access_token=secret'],
    ['https://example.org?private_token=secret'],
    ['ssh://git@example.org/x?token=secret'],
    ['https://example.org/x#secret'],
    ['https://example.org/x y'],
    ['https://example.org/x', '--upload-pack=x'],
    ['https://example.org/x', 'a..b'],
    ['https://example.org/x', 'a b'],
    ['https://example.org/x', 'x.lock'],
    ['https://example.org/x', 'v1', '../a'],
    ['https://example.org/x', 'v1', '/a'],
    ['/a\0b'],
  ] as const)
    assert.equal(told(source, ref, inner), 'refused', `${source} ${ref} ${inner}`);
});
