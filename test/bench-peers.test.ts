import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { hygiene, repositoryRoot, temporaryFolder } from '@fairlead/testing';
import { echoModule } from '../bench/floors/echo-wasm.ts';
import { checkEcho, textsOf } from '../bench/floors/texts.ts';
import { importPeer, installPeers } from '../bench/harness/peer-packages.ts';

/** A folder with a lockfile, and an npm that does what `script` says and notes that it ran. */
function folderWith(t: TestContext, script: string) {
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, 'package-lock.json'), '{"lockfileVersion":3}');
  const npm = join(folder, 'npm');
  const runs = join(folder, 'runs');
  writeFileSync(npm, `#!/bin/sh\necho "$@ node=$(command -v node)" >>'${runs}'\n${script}\n`);
  chmodSync(npm, 0o755);
  const said: string[] = [];
  const install = () =>
    installPeers({ folder, npm, signal: AbortSignal.timeout(60_000), say: (line) => said.push(line) });
  const ran = () => (existsSync(runs) ? readFileSync(runs, 'utf8').trim().split('\n') : []);
  return { folder, install, ran, said };
}

test('what is measured beside Fairlead is installed once, exactly as locked, without scripts, on this Node', async (t) => {
  hygiene(t);
  const { folder, install, ran, said } = folderWith(t, 'mkdir -p node_modules');
  assert.deepEqual(await install(), { ok: true, folder });
  assert.deepEqual(await install(), { ok: true, folder });
  assert.deepEqual(ran(), [
    `ci --ignore-scripts --no-audit --no-fund node=${join(dirname(process.execPath), 'node')}`,
  ]);
  assert.deepEqual(said, ['installing what is measured beside Fairlead (once, into bench/peers)\n']);
  writeFileSync(join(folder, 'package-lock.json'), '{"lockfileVersion":3,"packages":{}}');
  assert.deepEqual(await install(), { ok: true, folder });
  assert.equal(ran().length, 2);
});

test('without a registry there is a reason that names no address, and the next run tries again', async (t) => {
  hygiene(t);
  const { install, ran } = folderWith(
    t,
    'echo "npm error network request to https://registry.example/x failed" >&2; exit 1',
  );
  const expected = { ok: false, reason: 'npm ci failed: network request to the registry failed' };
  assert.deepEqual(await install(), expected);
  assert.deepEqual(await install(), expected);
  assert.equal(ran().length, 2);
  const silent = folderWith(t, 'exit 3');
  assert.deepEqual(await silent.install(), { ok: false, reason: 'npm ci failed: exit status 3' });
});

test('a machine without npm has a reason too, and an interrupted installation is no reason', async (t) => {
  hygiene(t);
  const { folder } = folderWith(t, '');
  const gone = await installPeers({
    ...{ folder, npm: join(folder, 'no-npm'), signal: AbortSignal.timeout(60_000), say: () => {} },
  });
  assert.match(gone.ok ? '' : gone.reason, /^npm ci failed: spawn .*ENOENT$/);
  const stop = new AbortController();
  const slow = folderWith(t, 'exec sleep 60');
  const installing = installPeers({
    ...{ folder: slow.folder, npm: join(slow.folder, 'npm'), signal: stop.signal },
    say: () => stop.abort(new Error('interrupted')),
  });
  await assert.rejects(installing, { message: 'interrupted' });
});

test('the peers stand in a folder of their own, exactly pinned, and are no dependency of the workspace', () => {
  const own = JSON.parse(readFileSync(join(repositoryRoot, 'bench/peers/package.json'), 'utf8'));
  assert.deepEqual(own.dependencies, {
    '@extism/extism': '1.0.3',
    supergateway: '4.0.0',
  });
  const lock = readFileSync(join(repositoryRoot, 'bench/peers/package-lock.json'), 'utf8');
  assert.doesNotMatch(lock, /"resolved"/);
  const root = JSON.parse(readFileSync(join(repositoryRoot, 'package.json'), 'utf8'));
  assert.ok(root.workspaces.every((pattern: string) => !pattern.startsWith('bench')));
});

test('a package of the folder is loaded as a program in it would load it', async (t) => {
  hygiene(t);
  const { folder } = folderWith(t, '');
  mkdirSync(join(folder, 'node_modules/peer'), { recursive: true });
  writeFileSync(join(folder, 'node_modules/peer/index.js'), 'exports.answer = 42;');
  assert.equal(((await importPeer(folder, 'peer')) as { answer: number }).answer, 42);
});

/** The compiler knows of it only with the library of the browser. */
const { WebAssembly: webAssembly } = globalThis as unknown as {
  readonly WebAssembly: {
    instantiate(
      bytes: Uint8Array,
      imports: Readonly<Record<string, Readonly<Record<string, unknown>>>>,
    ): Promise<{ readonly instance: { readonly exports: Readonly<Record<string, unknown>> } }>;
  };
};

test('the sandboxed echo gives back every byte, whatever the length', async () => {
  const input = Buffer.from('0123456789é');
  for (const length of [0, 1, 7, 8, 9, input.length]) {
    const memory = Buffer.alloc(64);
    let output: Buffer | undefined;
    const { instance } = await webAssembly.instantiate(echoModule(), {
      'extism:host/env': {
        input_length: () => BigInt(length),
        input_load_u8: (at: bigint) => input.readUInt8(Number(at)),
        input_load_u64: (at: bigint) => input.readBigUInt64LE(Number(at)),
        alloc: (bytes: bigint) => {
          assert.equal(Number(bytes), length);
          return 16n;
        },
        store_u8: (at: bigint, value: number) => void memory.writeUInt8(value, Number(at)),
        store_u64: (at: bigint, value: bigint) =>
          void memory.writeBigUInt64LE(BigInt.asUintN(64, value), Number(at)),
        output_set: (at: bigint, bytes: bigint) => {
          output = memory.subarray(Number(at), Number(at + bytes));
        },
      },
    });
    assert.equal((instance.exports['echo'] as () => number)(), 0);
    assert.deepEqual(output, input.subarray(0, length), `${length} bytes`);
  }
});

test('every echo gets 1 KiB of the same texts for one seed, and a wrong answer is no answer', () => {
  const text = textsOf(1)(5);
  assert.equal(Buffer.byteLength(JSON.stringify({ text })), 1_024);
  assert.equal(textsOf(1)(69), text);
  assert.notEqual(textsOf(2)(5), text);
  checkEcho({ structuredContent: { text } }, text);
  for (const wrong of [null, {}, { structuredContent: { text: 'else' } }])
    assert.throws(() => checkEcho(wrong, text), /^Error: not what was sent/);
});
