import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { encodeRequest, PROTOCOL_VERSION, protocolErrors, readResponse } from '../src/index.ts';

const page = await readFile(
  new URL('../../../docs/reference/native-plugin-protocol.md', import.meta.url),
  'utf8',
);

describe('docs/reference/native-plugin-protocol.md', () => {
  it('shows requests as they are written', () => {
    const shown = [...page.matchAll(/^ *│ (\{.*\})$/gm)].map(([, line]) => line);
    const written = [
      encodeRequest(1, 'initialize', { protocolVersion: PROTOCOL_VERSION }),
      encodeRequest(2, 'tools/list', {}),
      encodeRequest(3, 'tools/call', { name: 'add', arguments: { a: 2, b: 5 } }),
    ].map((encoded) => encoded.ok && encoded.bytes.toString().trimEnd());
    assert.deepEqual(shown, written);
  });

  it('shows answers that are read', () => {
    const shown = [...page.matchAll(/┤ (\{.*\})$/gm)].map(([, line]) => line as string);
    const read = shown.filter((line) => !line.includes('…')).map((line) => Buffer.from(line));
    assert.deepEqual(
      read.map((line, index) => readResponse(line, [1, 3][index] ?? 0).kind),
      ['result', 'result'],
    );
  });

  it('names every code of the protocol', () => {
    assert.deepEqual(
      Object.keys(protocolErrors).filter((code) => !page.includes(`\`${code}\``)),
      [],
    );
  });

  it('names no plugin code that the protocol does not have', () => {
    const named = new Set([...page.matchAll(/`(plugin_[a-z_]+)`/g)].map(([, code]) => code as string));
    const elsewhere = [...named].filter((code) => !Object.hasOwn(protocolErrors, code));
    // The first is of the process that the Runner starts, the second is what a gateway's caller sees.
    assert.deepEqual(elsewhere.sort(), ['plugin_isolation_unavailable', 'plugin_replaced']);
  });

  it('has the fifteen sections that tests name', () => {
    const sections = [...page.matchAll(/^## (\d+) (.+)$/gm)].map(([, number, title]) => `${number} ${title}`);
    assert.deepEqual(sections, [
      '1 Framing',
      '2 Requests and responses',
      '3 initialize',
      '4 tools/list',
      '5 tools/call',
      '6 Limits',
      '7 Schema profile v1',
      '8 Diagnostics',
      '9 Outcomes and codes on the call path',
      '10 Check phases',
      '11 Reload',
      '12 stderr',
      '13 Timeouts',
      '14 Observation and binding',
      '15 The Runner link',
    ]);
  });
});
