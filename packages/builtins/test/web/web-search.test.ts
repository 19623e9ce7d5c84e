import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failed } from '@fairlead/base';
import type { SearchType } from '../../src/peer/web-peer.ts';
import { touchesWith } from '../../src/touches.ts';
import { always, server, webTools } from './web-floor.ts';

const JSON_TYPE = { type: 'application/json' };

const found = (title: string, url: string, snippet: string) => ({ title, url, snippet });

/** One search over one engine, and what that was asked. */
async function searched(
  t: Parameters<typeof always>[0],
  type: SearchType,
  body: unknown,
  { status = 200, max_results = 5 }: { readonly status?: number; readonly max_results?: number } = {},
) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const { url, asked } = await always(t, text, { status, ...JSON_TYPE });
  await using h = await webTools({ search: [{ type, baseUrl: url, key: 'K' }] });
  const end = await h.tools.web_search({ query: 'a b&c', max_results });
  return { end, asked };
}

test('kagi: its key, its question, its results without related searches', async (t) => {
  const { end, asked } = await searched(t, 'kagi', {
    data: [
      { t: 0, title: 'One', url: 'https://one.example/', snippet: 'The <b>first</b> &amp; best' },
      { t: 1, list: ['related'] },
      { t: 0, title: 'Two', url: 'https://two.example/', snippet: null },
    ],
  });
  assert.deepEqual(end.data, [
    found('One', 'https://one.example/', 'The first & best'),
    found('Two', 'https://two.example/', ''),
  ]);
  assert.deepEqual(JSON.parse(end.text), end.data);
  assert.deepEqual([asked[0]?.method, asked[0]?.url], ['GET', '/api/v0/search?q=a+b%26c&limit=5']);
  assert.equal(asked[0]?.headers.authorization, 'Bot K');
});

test('tavily: its key, its question, its results', async (t) => {
  const { end, asked } = await searched(t, 'tavily', {
    results: [{ title: 'One', url: 'https://one.example/', content: 'First', score: 0.9 }],
  });
  assert.deepEqual(end.data, [found('One', 'https://one.example/', 'First')]);
  assert.deepEqual(
    [asked[0]?.method, asked[0]?.url, asked[0]?.headers.authorization, asked[0]?.body],
    ['POST', '/search', 'Bearer K', '{"query":"a b&c","max_results":5}'],
  );
});

test('brave: its key, its question, its results', async (t) => {
  const { end, asked } = await searched(t, 'brave', {
    type: 'search',
    web: { results: [{ title: 'One', url: 'https://one.example/', description: '<strong>First</strong>' }] },
  });
  assert.deepEqual(end.data, [found('One', 'https://one.example/', 'First')]);
  assert.deepEqual(
    [asked[0]?.method, asked[0]?.url, asked[0]?.headers['x-subscription-token']],
    ['GET', '/res/v1/web/search?q=a+b%26c&count=5', 'K'],
  );
});

test('brave leaves the list out where it found nothing', async (t) => {
  const { end } = await searched(t, 'brave', { type: 'search', query: {} });
  assert.deepEqual([end.certainty, end.data], ['completed', []]);
});

test('serper: its key, its question, its results', async (t) => {
  const { end, asked } = await searched(t, 'serper', {
    organic: [{ title: 'One', link: 'https://one.example/', snippet: 'First', position: 1 }],
  });
  assert.deepEqual(end.data, [found('One', 'https://one.example/', 'First')]);
  assert.deepEqual(
    [asked[0]?.method, asked[0]?.url, asked[0]?.headers['x-api-key'], asked[0]?.body],
    ['POST', '/search', 'K', '{"q":"a b&c","num":5}'],
  );
});

test('searxng: its question, its results, a key where it has one', async (t) => {
  const { end, asked } = await searched(t, 'searxng', {
    results: [{ title: 'One', url: 'https://one.example/', content: 'First' }],
  });
  assert.deepEqual(end.data, [found('One', 'https://one.example/', 'First')]);
  assert.deepEqual(
    [asked[0]?.url, asked[0]?.headers.authorization],
    ['/search?q=a+b%26c&format=json', 'Bearer K'],
  );
});

const DUCK = `<html><body><div class="result result--ad"><a class="result__a" href="https://ad.example/">Ad</a></div>
<div class="result"><h2><a class="result__a" href="//duckduckgo.com/l/?uddg=https%3A%2F%2Fone.example%2Fp%3Fq%3D1&amp;rut=x">One &amp; only</a></h2>
<a class="result__snippet" href="#">The <b>first</b></a></div>
<div class="result"><a class="result__a" href="https://two.example/">Two</a></div>
<div class="result"><a class="result__a" href="javascript:alert(1)">Bad</a></div></body></html>`;

test('duckduckgo: its page, without advertisements, to where its links lead', async (t) => {
  const { end, asked } = await searched(t, 'duckduckgo', DUCK);
  assert.deepEqual(end.data, [
    found('One & only', 'https://one.example/p?q=1', 'The first'),
    found('Two', 'https://two.example/', ''),
  ]);
  assert.equal(asked[0]?.url, '/html/?q=a+b%26c');
});

test('duckduckgo that is throttled (202) is a failure', async (t) => {
  const { end } = await searched(t, 'duckduckgo', DUCK, { status: 202 });
  assert.deepEqual([end.certainty, end.isError], ['completed', true]);
  assert.match(end.text, /duckduckgo: status 202/);
});

test('a duckduckgo page without results is a failure', async (t) => {
  const { end } = await searched(t, 'duckduckgo', '<html><body>Are you a machine?</body></html>');
  assert.deepEqual([end.certainty, end.isError], ['completed', true]);
  assert.match(end.text, /duckduckgo: search_answer_invalid/);
});

test('no engine in the file is duckduckgo', async () => {
  await using h = await webTools({
    refuse: ({ url }) => failed('not_started', 'grant_denied', `No: ${url}`),
  });
  const { certainty, text } = await h.tools.web_search({ query: 'x' });
  assert.equal(certainty, 'not_started');
  assert.match(text, /No: https:\/\/html\.duckduckgo\.com\/html\/\?q=x/);
  assert.deepEqual(touchesWith([])['web/web_search'], {
    needsOneOf: [{ url: 'https://html.duckduckgo.com/html/?q=', method: 'GET' }],
  });
});

test('engines are asked in their order, and the first that answers is the answer', async (t) => {
  const bad = await always(t, 'no', { status: 500, ...JSON_TYPE });
  const good = await always(
    t,
    JSON.stringify({ organic: [{ title: 'One', link: 'https://one.example/' }] }),
    JSON_TYPE,
  );
  const never = await always(t, 'no', { status: 500, ...JSON_TYPE });
  await using h = await webTools({
    search: [
      { type: 'brave', baseUrl: bad.url, key: 'K' },
      { type: 'serper', baseUrl: good.url, key: 'K' },
      { type: 'tavily', baseUrl: never.url, key: 'K' },
    ],
  });
  assert.deepEqual((await h.tools.web_search({ query: 'x' })).data, [
    found('One', 'https://one.example/', ''),
  ]);
  assert.deepEqual([bad.asked.length, good.asked.length, never.asked.length], [1, 1, 0]);
});

test('an engine that found nothing has answered, and no other is asked', async (t) => {
  const empty = await always(t, '{"organic":[]}', JSON_TYPE);
  const other = await always(t, '{"results":[]}', JSON_TYPE);
  await using h = await webTools({
    search: [
      { type: 'serper', baseUrl: empty.url, key: 'K' },
      { type: 'searxng', baseUrl: other.url },
    ],
  });
  const { certainty, text, data } = await h.tools.web_search({ query: 'x' });
  assert.deepEqual([certainty, text, data, other.asked.length], ['completed', '[]', [], 0]);
});

test('where every engine fails the last failure is the answer, and all of them are named', async (t) => {
  const first = await always(t, 'no', { status: 429, ...JSON_TYPE });
  const last = await always(t, 'no JSON', JSON_TYPE);
  await using h = await webTools({
    search: [
      { type: 'brave', baseUrl: first.url, key: 'K' },
      { type: 'serper', baseUrl: last.url, key: 'K' },
    ],
  });
  const { certainty, text } = await h.tools.web_search({ query: 'x' });
  assert.equal(certainty, 'completed');
  assert.match(text, /no results can be read from\. \(brave: status 429; serper: search_answer_invalid\)/);
});

test('an engine without its key is not asked, and the next one is', async (t) => {
  const { url, asked } = await always(t, '{"results":[]}', JSON_TYPE);
  await using h = await webTools({
    search: [
      { type: 'kagi', baseUrl: url },
      { type: 'searxng', baseUrl: url },
    ],
  });
  assert.deepEqual((await h.tools.web_search({ query: 'x' })).data, []);
  assert.deepEqual(
    asked.map(({ url: path }) => path),
    ['/search?q=x&format=json'],
  );
  await using alone = await webTools({ search: [{ type: 'kagi', baseUrl: url }] });
  assert.equal((await alone.tools.web_search({ query: 'x' })).certainty, 'not_started');
});

test('an engine that broke off its answer was only asked: it has ended', async (t) => {
  const { url } = await server(t, (_asked, response) => response.destroy());
  await using h = await webTools({ search: [{ type: 'serper', baseUrl: url, key: 'K' }] });
  const { certainty, text } = await h.tools.web_search({ query: 'x' });
  assert.equal(certainty, 'completed');
  assert.match(text, /serper: network_answer_broken/);
});

test('no more results than were asked for, and no more than 10', async (t) => {
  const organic = Array.from({ length: 20 }, (_, index) => ({
    title: `${index}`,
    link: `https://e.example/${index}`,
  }));
  const { end } = await searched(t, 'serper', { organic }, { max_results: 2 });
  assert.equal((end.data as unknown[]).length, 2);
  await using h = await webTools();
  for (const max_results of [0, 11])
    assert.equal((await h.callTool('web_search', { query: 'x', max_results })).certainty, 'not_started');
});

test('what leads nowhere on the web is no result, and what is long is cut between two characters', async (t) => {
  const { end } = await searched(t, 'serper', {
    organic: [
      { title: 'File', link: 'file:///etc/passwd' },
      { title: 'None' },
      'nothing',
      { title: '😀'.repeat(400), link: 'https://one.example/', snippet: `a\u001b[2Jb\n${'c'.repeat(2000)}` },
    ],
  });
  const [only] = end.data as { title: string; snippet: string }[];
  assert.equal((end.data as unknown[]).length, 1);
  assert.equal(only?.title, `${'😀'.repeat(150)}…`);
  assert.equal(only?.snippet, `a [2Jb ${'c'.repeat(993)}…`);
});

test('an answer with half a character at the end of a snippet is one', async (t) => {
  const { end } = await searched(
    t,
    'searxng',
    '{"results":[{"title":"One","url":"https://one.example/","content":"cut \\ud83d"}]}',
  );
  assert.deepEqual(end.data, [found('One', 'https://one.example/', 'cut \ufffd')]);
});

test('an answer of more than a mebibyte is none', async (t) => {
  const { end } = await searched(t, 'serper', { organic: [], pad: 'x'.repeat(1024 * 1024) });
  assert.match(end.text, /serper: it is too long/);
});

test('a key stands in no text that a model reads', async (t) => {
  const { end } = await searched(t, 'serper', 'no', { status: 403 });
  assert.match(end.text, /serper: status 403/);
  assert.doesNotMatch(end.text, /K\b(?!I)/);
});
