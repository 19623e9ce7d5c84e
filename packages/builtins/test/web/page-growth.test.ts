import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answerJob } from '../../src/web/page/answer-job.ts';
import { PageReader } from '../../src/web/page/page-reader.ts';
import { readablePage } from '../../src/web/page/readable-page.ts';
import { always, webTools } from './web-floor.ts';

const URL = 'https://site.example/';
const LONG = `${URL}${'A'.repeat(2100)}`;
const page = (html: string) => ({ kind: 'page', html, url: URL }) as const;
const nobody = () => new AbortController().signal;
const links = (count: number) => '<a href=b>c</a> '.repeat(count);

test('a page whose base address is long is read from where it came, and the process goes on', async (t) => {
  const base = `http://x.test/${'A'.repeat(500_000)}/`;
  const { url } = await always(
    t,
    `<html><head><base href="${base}"></head><body>${links(300)}</body></html>`,
  );
  await using h = await webTools();
  const { text } = await h.tools.web_fetch({ url });
  assert.ok(text.length < 52_000);
  assert.ok(text.includes(`[c](${url}/b)`));
});

test('an address beyond 2 KiB is its words, and so is every address after 2 Mi units of them', () => {
  const { markdown } = readablePage(`<a href="${LONG}">long</a> <img src="${LONG}"> <a href=b>c</a>`, URL);
  assert.equal(markdown, `long [c](${URL}b)`);
  const html = `<head><base href="${URL}${'A'.repeat(2000)}/"></head>${links(3000)}<p>end`;
  const many = readablePage(html, URL).markdown;
  assert.ok(many.length < 2_200_000);
  assert.ok(many.includes('c c c'));
});

test('what the thread posts is little more than is shown, with the size of all of it', async () => {
  await using reader = new PageReader();
  const read = await reader.read<'page'>(
    page(`<title>${'t'.repeat(9000)}</title>${'word '.repeat(40_000)}`),
    nobody(),
  );
  assert.ok(read.ok);
  assert.deepEqual(
    [read.value.title.length, read.value.markdown.length, read.value.wholeUnits],
    [300, 50_001, 199_999],
  );
});

const base = `<head><base href="${URL}${'A'.repeat(2000)}/"></head>`;
const article = `<article>${`<p>${'word, '.repeat(200)}</p>`.repeat(5)}`;
const quotes = '<blockquote>'.repeat(60);
const bold = [...'0123456789'].map((id) => `<b id="${id}${'A'.repeat(100_000)}">`).join('');
const lines = `<pre>${'a\n'.repeat(200_000)}</pre>`;
const GROWN = 'it would grow far beyond its size';

for (const [name, html, reason] of [
  ['quotes in quotes', `${quotes}${lines}`, GROWN],
  ['lists in lists', `${'<ul><li>'.repeat(40)}${lines}`, GROWN],
  ['open tags with attributes', `<p>${bold}${'x<p>'.repeat(1000)}`, GROWN],
  ['cells that span', `<table><tr>${'<td colspan=1000>a'.repeat(2000)}</table>`, GROWN],
  ['a cell that spans what no browser takes', '<table><tr><td colspan="999999999">a</table>', ''],
  ['many sources of one picture', `${base}${article}<img src=a srcset="${'b 1x, '.repeat(50_000)}">`, ''],
  [
    'pictures that load late',
    `${base}${article}${'<img class=lazy src=http://a data-src=b.jpg>'.repeat(3000)}`,
    '',
  ],
  ['entities', '&amp;&lt;&quot;&nbsp;'.repeat(90_000), ''],
  ['one long title of a link', `<a href=b title="${'_'.repeat(2_000_000)}">c</a>`, ''],
  ['one long address that is data', `<img src="data:image/png;base64,${'A'.repeat(2_000_000)}"><p>a`, ''],
] as const)
  test(`a page that would grow is given up before it does: ${name}`, () => {
    const reply = answerJob(page(html));
    if (!reply.ok) assert.equal(reply.reason, reason);
    else assert.deepEqual([reason, JSON.stringify(reply.value).length < 120_000], ['', true]);
  });
