import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failed } from '@fairlead/base';
import { always, server, webTools } from './web-floor.ts';

const page = (body: string) =>
  `<!doctype html><html><head><title>A title</title></head><body>${body}</body></html>`;

test('a page is fetched with GET where no method is named', async (t) => {
  const { url, asked } = await always(t, page('<p>Hello <b>you</b>.</p>'));
  await using h = await webTools();
  assert.deepEqual(await h.tools.web_fetch({ url: `${url}/a?b=c` }), {
    certainty: 'completed',
    text: `[200] ${url}/a?b=c\n\n# A title\n\nHello **you**.`,
    data: { status: 200, url: `${url}/a?b=c`, type: 'text/html', cut: false, title: 'A title' },
    isError: false,
  });
  assert.deepEqual(
    asked.map(({ method, url: path, body }) => [method, path, body]),
    [['GET', '/a?b=c', '']],
  );
});

test('POST, PUT, PATCH and DELETE pass with their body, and its type is said', async (t) => {
  const { url, asked } = await always(t, 'done', { type: 'text/plain' });
  await using h = await webTools();
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'] as const)
    assert.equal((await h.tools.web_fetch({ url, method, body: '{"a":1}' })).text, `[200] ${url}\n\ndone`);
  await h.tools.web_fetch({ url, method: 'POST', body: 'a=1' });
  await h.tools.web_fetch({
    url,
    method: 'POST',
    body: 'a=1',
    content_type: 'application/x-www-form-urlencoded',
  });
  assert.deepEqual(
    asked.map(({ method, headers, body }) => [method, headers['content-type'], body]),
    [
      ['POST', 'application/json', '{"a":1}'],
      ['PUT', 'application/json', '{"a":1}'],
      ['PATCH', 'application/json', '{"a":1}'],
      ['DELETE', 'application/json', '{"a":1}'],
      ['POST', 'text/plain; charset=utf-8', 'a=1'],
      ['POST', 'application/x-www-form-urlencoded', 'a=1'],
    ],
  );
});

test('a method that is not known is refused and never becomes another one', async () => {
  await using h = await webTools();
  const { certainty, isError } = await h.callTool('web_fetch', {
    url: 'http://127.0.0.1:9',
    method: 'PURGE',
  });
  assert.deepEqual([certainty, isError], ['not_started', true]);
});

test('a body with GET is refused before anything is sent', async (t) => {
  const { url, asked } = await always(t, 'no');
  await using h = await webTools();
  const { certainty, text } = await h.tools.web_fetch({ url, body: 'x' });
  assert.deepEqual([certainty, asked.length], ['not_started', 0]);
  assert.match(text, /takes no body/);
});

test('an answer that is no success is an answer, with its status', async (t) => {
  const { url } = await always(t, 'gone', { status: 404, type: 'text/plain' });
  await using h = await webTools();
  const { certainty, text, isError } = await h.tools.web_fetch({ url });
  assert.deepEqual([certainty, text, isError], ['completed', `[404] ${url}\n\ngone`, false]);
});

test('text that is no HTML is shown as it is', async (t) => {
  const json = '{"a": "<b>no tag</b>"}';
  const { url } = await always(t, json, { type: 'application/problem+json; charset=utf-8' });
  await using h = await webTools();
  assert.equal((await h.tools.web_fetch({ url })).text, `[200] ${url}\n\n${json}`);
});

test('an answer without a body is its status', async (t) => {
  const { url } = await always(t, '', { status: 204, type: '' });
  await using h = await webTools();
  assert.equal((await h.tools.web_fetch({ url, method: 'DELETE' })).text, `[204] ${url}`);
});

test('what is no text is refused with its type and size', async (t) => {
  const { url } = await always(t, Buffer.from([137, 80, 78, 71, 0, 1]), { type: 'image/png' });
  await using h = await webTools();
  const { certainty, text, isError } = await h.tools.web_fetch({ url });
  assert.deepEqual([certainty, isError], ['completed', true]);
  assert.match(text, /image\/png, 6 bytes/);
});

test('what is long is cut between two characters, and says how much is missing', async (t) => {
  const { url } = await always(t, `${'a'.repeat(49_999)}😀${'b'.repeat(10)}`, { type: 'text/plain' });
  await using h = await webTools();
  const { text, data } = await h.tools.web_fetch({ url });
  assert.equal(text, `[200] ${url}\n\n${'a'.repeat(49_999)}\n\n[12 of 50011 characters are left out here.]`);
  assert.deepEqual(data, { status: 200, url, type: 'text/plain', cut: true });
});

test('of more than 2 MiB only these are read, and that is said', async (t) => {
  const { url } = await always(t, 'x'.repeat(2 * 1024 * 1024 + 1), { type: 'text/plain' });
  await using h = await webTools();
  const { text, data } = await h.tools.web_fetch({ url });
  assert.match(
    text,
    /^\[200\] .*\n\n\[The page is longer than 2097152 bytes: only these were read\.\]\n\nxxx/,
  );
  assert.deepEqual(data, { status: 200, url, type: 'text/plain', cut: true });
});

test('what the host refuses is not started, with its code and reason', async () => {
  await using h = await webTools({
    refuse: () =>
      failed('not_started', 'network_address_refused', 'May not be reached.', {
        reason: 'a private network',
      }),
  });
  const { certainty, text, isError } = await h.tools.web_fetch({ url: 'http://10.0.0.1/' });
  assert.deepEqual([certainty, isError], ['not_started', true]);
  assert.match(text, /May not be reached\. \(a private network\)/);
});

test('of a request that changes something and was not answered the outcome is unknown; one that only asks has ended', async (t) => {
  const { url } = await server(t, (_asked, response) => response.destroy());
  await using h = await webTools();
  for (const [method, certainty] of [
    ['GET', 'completed'],
    ['HEAD', 'completed'],
    ['POST', 'outcome_unknown'],
    ['PUT', 'outcome_unknown'],
    ['PATCH', 'outcome_unknown'],
    ['DELETE', 'outcome_unknown'],
  ] as const) {
    const end = await h.tools.web_fetch({ url, method });
    assert.deepEqual([end.certainty, end.isError], [certainty, true], method);
  }
});

test('a page that cannot be made readable is shown as its source', async (t) => {
  const { url } = await always(t, `<html><body>${'<b>'.repeat(20_000)}deep`);
  await using h = await webTools();
  const { certainty, text } = await h.tools.web_fetch({ url });
  assert.equal(certainty, 'completed');
  assert.match(
    text,
    /^\[200\] .*\n\n\[The page could not be made readable, because it is nested too deeply: its source follows\.\]\n\n<html><body><b>/,
  );
});
