import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { systemClock } from '@fairlead/base';
import type { Carrier, HostSide, LogLine } from '@fairlead/extension/runtime';
import { hygiene, temporaryFolder, waitFor } from '@fairlead/testing';
import { folderDigest } from '../../src/path/folder-digest.ts';
import { loadPathSource, type PathSource } from '../../src/path/path-source.ts';

const dice = (version = '1.0.0', more = '') => `
import { defineExtension } from '@fairlead/extension';
${more}
export default defineExtension({
  name: 'dice',
  version: '${version}',
  tools: {
    roll: { about: 'Rolls.', run: () => '${version}' },
    environment: { about: 'Says.', run: () => JSON.stringify(process.env) },
    crash: { about: 'Ends.', run: () => { process.exit(7); } },
  },
});
`;

function folderWith(t: TestContext, files: Readonly<Record<string, string>>): string {
  const folder = temporaryFolder(t);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

async function load(
  t: TestContext,
  folder: string,
  environment: Record<string, string> = {},
): Promise<PathSource> {
  const source = await loadPathSource({
    folder,
    clock: systemClock(),
    environmentOf: (name) => (name === 'dice' ? environment : {}),
  });
  t.after(() => source[Symbol.asyncDispose]());
  return source;
}

async function opens(carrier: Carrier): Promise<false> {
  await carrier.open({ instance: 'g', kind: 'global', key: '', settings: {} });
  await carrier.end();
  return false;
}

class Host implements HostSide {
  readonly lines: LogLine[] = [];
  ask(): null {
    return null;
  }
  log(line: LogLine): void {
    this.lines.push(line);
  }
  changed(): void {}
}

async function started(t: TestContext, source: PathSource, onDeath = (): void => {}) {
  const host = new Host();
  const carrier = await source.start(host, onDeath);
  t.after(() => carrier.end());
  await carrier.open({ instance: 'g', kind: 'global', key: '', settings: {} });
  let calls = 0;
  const call = async (name: string): Promise<string> => {
    calls += 1;
    const context = { settings: {}, caps: {} };
    const answer = await carrier.call({
      call: calls,
      instance: 'g',
      endpoint: 'tool',
      name,
      input: {},
      context,
    });
    return (answer as { text: string }).text;
  };
  return { carrier, host, call };
}

const refusal =
  (reason: RegExp, code = 'extension_load_failed') =>
  (error: unknown) => {
    assert.equal((error as { code: string }).code, code);
    assert.match((error as Error).message, reason);
    return true;
  };

const noFolder = (reason: RegExp) => refusal(reason, 'extension_folder_invalid');

test('a folder is known by its name and the digest of its files, and its first worker is the one that is started', async (t) => {
  hygiene(t);
  const source = await load(t, folderWith(t, { 'src/extension.ts': dice() }));
  assert.deepEqual(
    [source.ref.kind, source.ref.name, source.tier, source.builtin],
    ['path', 'dice', 'worker', false],
  );
  assert.match(source.ref.digest, /^[A-Za-z0-9_-]{43}$/);
  const { call } = await started(t, source);
  assert.equal(await call('roll'), '1.0.0');
});

test('equal files give an equal digest, whatever else is installed beside them; another byte gives another', async (t) => {
  hygiene(t);
  const first = await load(
    t,
    folderWith(t, { 'src/extension.ts': dice(), 'node_modules/x/index.js': 'one' }),
  );
  const second = await load(t, folderWith(t, { 'src/extension.ts': dice(), '.git/HEAD': 'two' }));
  const third = await load(t, folderWith(t, { 'src/extension.ts': dice(), 'note.txt': '' }));
  assert.equal(first.ref.digest, second.ref.digest);
  assert.notEqual(first.ref.digest, third.ref.digest);
});

test('the module is what package.json names, else the first of the usual places', async (t) => {
  hygiene(t);
  const packages: readonly string[] = [
    '{"exports":"./lib/it.ts"}',
    '{"exports":{".":{"types":"./x.d.ts","default":"./lib/it.ts"}}}',
    '{"exports":{"import":"./lib/it.ts"}}',
    '{"main":"lib/it.ts"}',
  ];
  for (const text of packages) {
    const files = { 'package.json': text, 'lib/it.ts': dice('2.0.0'), 'src/extension.ts': dice('1.0.0') };
    const source = await load(t, folderWith(t, files));
    const { call } = await started(t, source);
    assert.equal(await call('roll'), '2.0.0', text);
  }
  const plain = await load(t, folderWith(t, { 'extension.ts': dice('3.0.0'), 'extension.mjs': 'nothing' }));
  assert.equal(await (await started(t, plain)).call('roll'), '3.0.0');
});

test('a folder without a module, with one outside, or that is none, is refused with what was looked for', async (t) => {
  hygiene(t);
  const file = folderWith(t, { 'a.txt': '' });
  await assert.rejects(load(t, join(file, 'nowhere')), noFolder(/no such folder/));
  await assert.rejects(
    load(t, join(file, 'a.txt')),
    noFolder(/That is no folder of an extension\. \(it is no folder\)/),
  );
  await assert.rejects(load(t, file), noFolder(/none of src\/extension\.ts, extension\.ts/));
  const outside = folderWith(t, { 'package.json': '{"exports":"../x.ts"}' });
  await assert.rejects(load(t, outside), noFolder(/outside of the folder/));
  const unbuilt = folderWith(t, { 'package.json': '{"exports":"./dist/x.js"}' });
  await assert.rejects(load(t, unbuilt), noFolder(/is it built\?/));
  const broken = folderWith(t, { 'package.json': '{', 'extension.ts': dice() });
  await assert.rejects(load(t, broken), noFolder(/package\.json cannot be read/));
});

test('a folder that may not be read is told as that, and not as missing', async (t) => {
  hygiene(t);
  const folder = folderWith(t, { 'closed/extension.ts': dice(), 'package/extension.ts': dice() });
  symlinkSync(join(folder, 'round'), join(folder, 'round'));
  await assert.rejects(load(t, join(folder, 'round')), noFolder(/the folder cannot be read: ELOOP/));
  mkdirSync(join(folder, 'package/package.json'));
  await assert.rejects(load(t, join(folder, 'package')), noFolder(/its package\.json is no ordinary file/));
  symlinkSync('extension.ts', join(folder, 'extension.ts'));
  await assert.rejects(load(t, folder), noFolder(/its extension\.ts cannot be read: ELOOP/));
  // The superuser may read everything.
  if (process.getuid?.() === 0) return;
  chmodSync(join(folder, 'closed'), 0o000);
  await assert.rejects(load(t, join(folder, 'closed')), noFolder(/cannot be read: EACCES/));
  chmodSync(join(folder, 'closed'), 0o700);
});

test('a file of a folder that cannot be read is told by its code, without a path of the machine', async (t) => {
  hygiene(t);
  const gone = join(temporaryFolder(t), 'nowhere');
  await assert.rejects(folderDigest(gone), {
    code: 'extension_folder_invalid',
    message: 'That is no folder of an extension. (a file in it cannot be read: ENOENT)',
  });
});

test('a folder that is a home or a project is refused before its code runs', async (t) => {
  hygiene(t);
  const files: Record<string, string> = { 'extension.ts': 'throw new Error("it ran")' };
  for (let file = 0; file < 2001; file += 1) files[`f${file}`] = '';
  await assert.rejects(load(t, folderWith(t, files)), noFolder(/more than 2000 files and folders/));
  const large = folderWith(t, { 'extension.ts': dice(), big: 'x'.repeat(33 * 1024 * 1024) });
  await assert.rejects(load(t, large), noFolder(/33554432 bytes/));
});

test('a link counts as what it says, not as what it leads to', async (t) => {
  hygiene(t);
  const elsewhere = folderWith(t, { secret: 'one' });
  const folder = folderWith(t, { 'extension.ts': dice() });
  symlinkSync(join(elsewhere, 'secret'), join(folder, 'link'));
  const before = await load(t, folder);
  writeFileSync(join(elsewhere, 'secret'), 'two');
  const after = await load(t, folder);
  assert.equal(before.ref.digest, after.ref.digest);
});

test('files that change while they are loaded are refused', async (t) => {
  hygiene(t);
  const folder = folderWith(t, {});
  const changing = `import { writeFileSync } from 'node:fs';\nwriteFileSync(new URL('./other', import.meta.url), 'x');`;
  writeFileSync(join(folder, 'extension.ts'), dice('1.0.0', changing));
  await assert.rejects(load(t, folder), refusal(/changed while they were loaded/));
});

test('its environment holds what the operator gave to its name, and nothing of the host', async (t) => {
  hygiene(t);
  const folder = folderWith(t, { 'extension.ts': dice() });
  const given = await load(t, folder, { TOKEN: 'x' });
  assert.equal(await (await started(t, given)).call('environment'), '{"TOKEN":"x"}');
  const none = await load(t, folder);
  assert.equal(await (await started(t, none)).call('environment'), '{}');
});

test('after a crash the same code is started again, and other code is not', async (t) => {
  hygiene(t);
  const folder = folderWith(t, { 'extension.ts': dice() });
  const source = await load(t, folder);
  const died = Promise.withResolvers<void>();
  const first = await started(t, source, died.resolve);
  await assert.rejects(first.call('crash'), { code: 'extension_crashed', certainty: 'outcome_unknown' });
  await died.promise;
  const second = await started(t, source);
  assert.equal(await second.call('roll'), '1.0.0');
  writeFileSync(join(folder, 'extension.ts'), dice('2.0.0'));
  await assert.rejects(
    source.start(new Host(), () => {}),
    refusal(/reload it/),
  );
});

test('a worker that died before it was taken is replaced by one of the same code', async (t) => {
  hygiene(t);
  // What stands in node_modules is no part of the digest: the second load behaves otherwise, and is the same code.
  const dying = `
import { existsSync, writeFileSync } from 'node:fs';
const gone = new URL('./node_modules/gone', import.meta.url);
if (!existsSync(gone)) process.once('exit', () => writeFileSync(gone, ''));
if (!existsSync(gone)) setTimeout(() => process.exit(3), 0);`;
  const folder = folderWith(t, { 'extension.ts': dice('1.0.0', dying), 'node_modules/none': '' });
  const source = await load(t, folder);
  await waitFor(() => existsSync(join(folder, 'node_modules/gone')), { what: 'the end of the first worker' });
  const died = Promise.withResolvers<void>();
  const first = await source.start(new Host(), died.resolve);
  // Its end may still be on the way to us; then whoever took it is told, and starts it again.
  if (
    first.dead === undefined &&
    (await Promise.race([died.promise.then(() => true), opens(first).catch(() => true)])) === true
  )
    await opens(await source.start(new Host(), () => {}));
  t.after(() => first.end());
});

test('what it logs while it is loaded reaches the host that takes it', async (t) => {
  hygiene(t);
  const rejecting = `void Promise.reject(new Error('early'));`;
  const source = await load(t, folderWith(t, { 'extension.ts': dice('1.0.0', rejecting) }));
  const { host, call } = await started(t, source);
  await call('roll');
  assert.match(host.lines[0]?.message ?? '', /early/);
});

test('what it prints can be read', async (t) => {
  hygiene(t);
  const source = await load(t, folderWith(t, { 'extension.ts': dice('1.0.0', `console.log('hello');`) }));
  const { call, carrier } = await started(t, source);
  await call('roll');
  await carrier.end();
  assert.match(source.output(), /hello/);
});

test('a source that nobody starts leaves no worker behind', async (t) => {
  hygiene(t);
  const source = await loadPathSource({
    folder: folderWith(t, { 'extension.ts': dice() }),
    clock: systemClock(),
  });
  await source[Symbol.asyncDispose]();
  await source[Symbol.asyncDispose]();
});

test('a package.json that is a FIFO, endless or too large is refused at once, and nobody waits', async (t) => {
  hygiene(t);
  const folder = folderWith(t, { 'extension.ts': dice() });
  const invalid = (reason: RegExp) => (error: unknown) => {
    assert.equal((error as { code: string }).code, 'extension_folder_invalid');
    assert.match((error as Error).message, reason);
    return true;
  };
  execFileSync('mkfifo', [join(folder, 'package.json')]);
  await assert.rejects(load(t, folder), invalid(/no ordinary file/));
  const endless = folderWith(t, { 'extension.ts': dice() });
  symlinkSync('/dev/zero', join(endless, 'package.json'));
  await assert.rejects(load(t, endless), invalid(/no ordinary file/));
  const large = folderWith(t, { 'extension.ts': dice(), 'package.json': ' '.repeat(256 * 1024 + 1) });
  await assert.rejects(load(t, large), invalid(/larger than 256 KiB/));
});

test('folders without a file in them are bounded as files are', async (t) => {
  hygiene(t);
  const folder = folderWith(t, { 'extension.ts': dice() });
  for (let index = 0; index < 2000; index += 1) mkdirSync(join(folder, `d${index}`));
  await assert.rejects(folderDigest(folder), { code: 'extension_folder_invalid' });
});

test('the digest counts names, what links say and what files hold, in one order', async (t) => {
  hygiene(t);
  const of = (folder: string) => folderDigest(folder);
  const plain = folderWith(t, { a: '1', b: '2' });
  assert.notEqual(await of(folderWith(t, { a: '2', b: '1' })), await of(plain));
  assert.notEqual(await of(folderWith(t, { c: '1', b: '2' })), await of(plain));
  const [one, two] = [folderWith(t, {}), folderWith(t, {})];
  symlinkSync('here', join(one, 'link'));
  symlinkSync('there', join(two, 'link'));
  assert.notEqual(await of(one), await of(two));
  const names = Array.from({ length: 40 }, (_, index) => `f${(index * 17) % 40}`);
  const [first, second] = [folderWith(t, {}), folderWith(t, {})];
  for (const name of names) writeFileSync(join(first, name), name);
  for (const name of [...names].reverse()) writeFileSync(join(second, name), name);
  assert.equal(await of(first), await of(second));
  // By hand, so that the order of the system cannot be what it goes by.
  const sha = (text: string) => createHash('sha256').update(text).digest('base64url');
  const rows = [...names].sort().map((name) => `${JSON.stringify([name, 'file', sha(name)])}\n`);
  assert.equal(await of(first), sha(`fairlead extension folder v1\n${rows.join('')}`));
});

test('a later generation has the same environment as the first', async (t) => {
  hygiene(t);
  const source = await load(t, folderWith(t, { 'extension.ts': dice() }), { TOKEN: 'x' });
  const first = await started(t, source);
  await first.carrier.end();
  const second = await started(t, source);
  assert.equal(await second.call('environment'), '{"TOKEN":"x"}');
});
