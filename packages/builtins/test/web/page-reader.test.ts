import assert from 'node:assert/strict';
import { test } from 'node:test';
import { manualClock } from '@fairlead/testing';
import { PageReader } from '../../src/web/page/page-reader.ts';

const page = (html: string) => ({ kind: 'page', html, url: 'https://site.example/' }) as const;
const nobody = () => new AbortController().signal;

/** Keeps the thread busy for much longer than a test lasts. */
const ENDLESS = page(`<html><body>${'<table><a>'.repeat(40_000)}`);

test('a page is read in a thread, one after the other', async () => {
  await using reader = new PageReader();
  const all = await Promise.all(['a', 'b'].map((text) => reader.read<'page'>(page(`<p>${text}`), nobody())));
  assert.deepEqual(all, [
    { ok: true, value: { title: '', markdown: 'a' } },
    { ok: true, value: { title: '', markdown: 'b' } },
  ]);
});

test('a page that takes too long ends its thread, and the next one is read', async () => {
  const clock = manualClock();
  await using reader = new PageReader(clock);
  const late = reader.read<'page'>(ENDLESS, nobody());
  await clock.advance(10_000);
  assert.deepEqual(await late, { ok: false, reason: 'it takes more than 10 s' });
  assert.deepEqual(await reader.read<'page'>(page('<p>next'), nobody()), {
    ok: true,
    value: { title: '', markdown: 'next' },
  });
});

test('a page for which nobody waits any more is given up', async () => {
  await using reader = new PageReader();
  const stop = new AbortController();
  const reading = reader.read<'page'>(ENDLESS, stop.signal);
  const after = reader.read<'page'>(page('<p>x'), stop.signal);
  stop.abort();
  assert.deepEqual(await reading, { ok: false, reason: 'nobody waits for it any more' });
  assert.deepEqual(await after, { ok: false, reason: 'nobody waits for it any more' });
});

test('the thread ends when no page came for a minute, and starts again with one', async () => {
  const clock = manualClock();
  await using reader = new PageReader(clock);
  await reader.read<'page'>(page('<p>a'), nobody());
  await clock.advance(60_000);
  assert.equal((await reader.read<'page'>(page('<p>b'), nobody())).ok, true);
});

test('a reader that is closed reads nothing', async () => {
  const reader = new PageReader();
  await reader[Symbol.asyncDispose]();
  assert.equal((await reader.read<'page'>(page('<p>a'), nobody())).ok, false);
});
