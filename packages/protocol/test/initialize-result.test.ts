// native-plugin-protocol §3
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Json } from '@fairlead/base';
import { checkInitializeResult } from '../src/index.ts';

function nested(levels: number): Json {
  let value: Json = 1;
  for (let level = 0; level < levels; level += 1) value = [value];
  return value;
}

describe('the result of initialize', () => {
  const rows: readonly (readonly [string, Json, string | null])[] = [
    ['the version alone', { protocolVersion: 'webcodex-plugin-v1' }, null],
    [
      'members beside the version',
      { protocolVersion: 'webcodex-plugin-v1', serverInfo: { name: 'x' }, capabilities: {}, tools: [] },
      null,
    ],
    [
      'control characters in the members beside it',
      { protocolVersion: 'webcodex-plugin-v1', x: '\u001b' },
      null,
    ],
    ['no version', {}, 'plugin_protocol_version_mismatch'],
    ['a version of MCP', { protocolVersion: '2025-11-25' }, 'plugin_protocol_version_mismatch'],
    ['another version', { protocolVersion: 'webcodex-plugin-v2' }, 'plugin_protocol_version_mismatch'],
    [
      'the version with a space',
      { protocolVersion: 'webcodex-plugin-v1 ' },
      'plugin_protocol_version_mismatch',
    ],
    ['a version in a list', { protocolVersion: ['webcodex-plugin-v1'] }, 'plugin_protocol_version_mismatch'],
    ['no object', 'webcodex-plugin-v1', 'plugin_initialize_invalid'],
    ['an array', ['webcodex-plugin-v1'], 'plugin_initialize_invalid'],
    ['null', null, 'plugin_initialize_invalid'],
    ['16 levels', { protocolVersion: 'webcodex-plugin-v1', deep: nested(15) }, null],
    ['17 levels', { protocolVersion: 'webcodex-plugin-v1', deep: nested(16) }, 'plugin_initialize_invalid'],
    ['4,096 values', { protocolVersion: 'webcodex-plugin-v1', many: Array(4093).fill(0) }, null],
    [
      '4,097 values',
      { protocolVersion: 'webcodex-plugin-v1', many: Array(4094).fill(0) },
      'plugin_initialize_invalid',
    ],
    ['a text of 512 KiB', { protocolVersion: 'webcodex-plugin-v1', long: 'x'.repeat(524_288) }, null],
    [
      'a longer text',
      { protocolVersion: 'webcodex-plugin-v1', long: 'x'.repeat(524_289) },
      'plugin_initialize_invalid',
    ],
    ['a name of 1,024 bytes', { protocolVersion: 'webcodex-plugin-v1', ['k'.repeat(1024)]: 1 }, null],
    [
      'a longer name',
      { protocolVersion: 'webcodex-plugin-v1', ['k'.repeat(1025)]: 1 },
      'plugin_initialize_invalid',
    ],
    [
      'a control character in a name',
      { protocolVersion: 'webcodex-plugin-v1', '\u0001': 1 },
      'plugin_initialize_invalid',
    ],
    [
      'another version and too deep',
      { protocolVersion: 'other', deep: nested(16) },
      'plugin_initialize_invalid',
    ],
  ];
  for (const [what, result, code] of rows) {
    it(`${code ?? 'accepts'}: ${what}`, () => {
      assert.equal(checkInitializeResult(result, 100), code);
    });
  }
});
