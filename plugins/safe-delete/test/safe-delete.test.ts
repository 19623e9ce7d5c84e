import assert from 'node:assert/strict';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { lookAt } from '../src/disk.ts';
import { BACKEND_TIMEOUT_MS } from '../src/limits.ts';
import type { BackendReport, TrashBackend } from '../src/trash-backend.ts';
import { diskWith, fakeBackend, scene, systemError } from './scene.ts';

test('a back end has ten seconds', () => {
  assert.equal(BACKEND_TIMEOUT_MS, 10_000);
});

test('the outcome is judged from what a back end says and from what is there afterwards', async (t) => {
  const { remove, file } = scene(t);
  const path = file('a.txt');
  const gone = (): void => rmSync(path, { force: true, recursive: true });
  const replaced = (): void => {
    gone();
    mkdirSync(path);
  };
  const there = (): void => {};
  const error = (code: string, backend: string | null = 'gio') => ({ outcome: 'error', code, backend });
  const table: readonly (readonly [BackendReport, () => void, object])[] = [
    ['done', gone, { outcome: 'trashed', backend: 'gio' }],
    ['done', there, error('trash_postcondition_unknown')],
    ['done', replaced, error('trash_postcondition_unknown')],
    ['failed', there, error('trash_operation_failed')],
    ['failed', gone, error('trash_operation_unknown')],
    ['failed', replaced, error('trash_operation_unknown')],
    ['declined', there, error('trash_backend_unavailable')],
    ['declined', gone, error('trash_operation_unknown')],
    ['unsure', gone, error('trash_operation_unknown')],
    ['unsure', there, error('trash_operation_unknown')],
    ['unavailable', there, error('trash_backend_unavailable', null)],
  ];
  for (const [report, act, expected] of table) {
    gone();
    writeFileSync(path, 'text');
    assert.deepEqual(
      await remove('a.txt', { backends: [fakeBackend(report, act)] }),
      expected,
      `${report} ${act.name}`,
    );
  }
});

test('when the place cannot be looked at afterwards, the outcome is unknown', async (t) => {
  const { remove, file } = scene(t);
  file('a.txt');
  for (const [report, code] of [
    ['done', 'trash_postcondition_unknown'],
    ['failed', 'trash_operation_unknown'],
  ] as const) {
    let looks = 0;
    const disk = diskWith({
      look(path) {
        looks += path.endsWith('/a.txt') ? 1 : 0;
        return looks > 1 ? Promise.reject(systemError('EIO')) : lookAt(path);
      },
    });
    assert.deepEqual(await remove('a.txt', { disk, backends: [fakeBackend(report)] }), {
      outcome: 'error',
      code,
      backend: 'gio',
    });
  }
});

test('a back end that breaks counts as failed', async (t) => {
  const { remove, file } = scene(t);
  const path = file('a.txt');
  const broken = fakeBackend('done', () => Promise.reject(new Error('secret')));
  assert.deepEqual(await remove('a.txt', { backends: [broken] }), {
    outcome: 'error',
    code: 'trash_operation_failed',
    backend: 'gio',
  });
  assert.equal(existsSync(path), true);
});

test('a back end that is late is told to stop, and the outcome is unknown although the file is there', async (t) => {
  const { remove, file } = scene(t);
  file('a.txt');
  const stopped = Promise.withResolvers<void>();
  const late: TrashBackend = {
    name: 'trash-put',
    run: (_target, signal) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => {
          stopped.resolve();
          resolve('failed');
        });
      }),
  };
  const next = fakeBackend('done');
  assert.deepEqual(await remove('a.txt', { timeoutMs: 1, backends: [late, next] }), {
    outcome: 'error',
    code: 'trash_operation_timeout',
    backend: 'trash-put',
  });
  await stopped.promise;
  assert.equal(next.runs, 0);
});

test('only a back end that is unavailable hands over to the next one', async (t) => {
  const { remove, file } = scene(t);
  const path = file('a.txt');
  for (const report of ['done', 'failed', 'declined', 'unsure'] as const) {
    const next = fakeBackend('done');
    await remove('a.txt', { backends: [fakeBackend(report), next] });
    assert.equal(next.runs, 0, report);
  }
  const third = fakeBackend('done', () => rmSync(path), 'trash-put');
  const backends = [fakeBackend('unavailable'), fakeBackend('unavailable'), third];
  assert.deepEqual(await remove('a.txt', { backends }), { outcome: 'trashed', backend: 'trash-put' });
});

test('between two back ends the target is looked at again', async (t) => {
  const { remove, file } = scene(t);
  const path = file('a.txt');
  const next = fakeBackend('done');
  const replacing = fakeBackend('unavailable', () => {
    rmSync(path);
    mkdirSync(path);
  });
  assert.deepEqual(await remove('a.txt', { backends: [replacing, next] }), {
    outcome: 'error',
    code: 'path_inspection_failed',
    backend: null,
  });
  const removing = fakeBackend('unavailable', () => rmSync(path, { recursive: true }));
  assert.deepEqual(await remove('a.txt', { backends: [removing, next] }), { outcome: 'already_absent' });
  assert.equal(next.runs, 0);
});
