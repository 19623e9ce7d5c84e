import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pageText } from '../../src/web/page/page-text.ts';

const bytes = (text: string, encoding: BufferEncoding = 'utf8') => Buffer.from(text, encoding);

test('the charset of the header is taken before that of the page', () => {
  const body = bytes('<meta charset="utf-8">caf\xe9', 'latin1');
  assert.equal(pageText(body, 'text/html; charset=ISO-8859-1').text, '<meta charset="utf-8">café');
  assert.equal(pageText(body, 'text/html; Charset="windows-1252"').text, '<meta charset="utf-8">café');
});

test('the charset of the page is taken where the header says none, or one that nobody knows', () => {
  for (const meta of [
    '<meta charset=windows-1251>',
    `<meta http-equiv="content-type" content="text/html; charset=windows-1251">`,
  ])
    for (const type of ['text/html', 'text/html; charset=nonsense'])
      assert.equal(pageText(bytes(`${meta}\xcf\xf0\xe8`, 'latin1'), type).text, `${meta}При`);
});

test('a mark at the start is believed before any word', () => {
  assert.equal(pageText(Buffer.from([0xef, 0xbb, 0xbf, 0xc3, 0xa9]), 'text/plain; charset=latin1').text, 'é');
  assert.equal(pageText(Buffer.from([0xff, 0xfe, 0xe9, 0]), 'text/plain').text, 'é');
  assert.equal(pageText(Buffer.from([0xfe, 0xff, 0, 0xe9]), '').text, 'é');
});

test('a page that says 16 bits and can be read so far is UTF-8', () => {
  assert.equal(pageText(bytes('<meta charset="utf-16">é'), 'text/html').text, '<meta charset="utf-16">é');
});

test('where nobody says a charset it is UTF-8, and what is none is replaced', () => {
  assert.deepEqual(pageText(bytes('caf\xe9', 'latin1'), 'text/plain'), {
    kind: 'text',
    type: 'text/plain',
    text: 'caf\ufffd',
  });
});

test('what a body is, by its type', () => {
  const kinds = {
    'text/html': 'html',
    'Application/XHTML+XML; charset=utf-8': 'html',
    'text/css': 'text',
    'application/json': 'text',
    'application/ld+json': 'text',
    'image/svg+xml': 'text',
    'application/xml': 'text',
    'application/pdf': 'binary',
    'application/octet-stream': 'binary',
    'application/zip': 'binary',
    'video/mp4': 'binary',
  };
  for (const [type, kind] of Object.entries(kinds)) assert.equal(pageText(bytes('a'), type).kind, kind, type);
});

test('what a body without a type is, by its first bytes', () => {
  assert.equal(pageText(bytes(' \n<!DOCTYPE html><p>'), '').kind, 'html');
  assert.equal(pageText(bytes('<HTML lang=en>'), '').kind, 'html');
  assert.equal(pageText(bytes('plain'), '').kind, 'text');
  assert.equal(pageText(Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0]), '').kind, 'binary');
  assert.equal(pageText(Buffer.from([]), '').kind, 'text');
});
