import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { locateTomlKeys, type TomlPath } from '../src/index.ts';

const DOCUMENT = `# a comment with key = 1
client_id = "local" # and = here
"quoted key" = 'literal \\ text'
dotted . inner."deep.er" = 1
text = """
not = "a key" \\"""
[not.a.table]
""""
literal = '''
also = 'none'
'''
list = [ 1,
  # between
  { name = "x", at = 2 }, [3,
  4], ]

[plugins]
request_timeout_secs = 30

[[plugins.providers]]
id = "first"
env = { A = "1", B.C = "2" }

[[ plugins . providers ]]
id = "second"

[plugins.providers.limits]
most = 0x10

[ shell.profiles."my node" ]
"esc\\u0041pe" = true`;

describe('locateTomlKeys', () => {
  const lines = locateTomlKeys(DOCUMENT);
  const rows: readonly (readonly [TomlPath, number])[] = [
    [['client_id'], 2],
    [['quoted key'], 3],
    [['dotted'], 4],
    [['dotted', 'inner', 'deep.er'], 4],
    [['text'], 5],
    [['literal'], 9],
    [['list'], 12],
    [['list', 0], 12],
    [['list', 1], 14],
    [['list', 1, 'at'], 14],
    [['list', 2, 0], 14],
    [['list', 2, 1], 15],
    [['plugins'], 17],
    [['plugins', 'request_timeout_secs'], 18],
    [['plugins', 'providers'], 20],
    [['plugins', 'providers', 0], 20],
    [['plugins', 'providers', 0, 'id'], 21],
    [['plugins', 'providers', 0, 'env', 'B', 'C'], 22],
    [['plugins', 'providers', 1], 24],
    [['plugins', 'providers', 1, 'id'], 25],
    [['plugins', 'providers', 1, 'limits', 'most'], 28],
    [['shell', 'profiles', 'my node'], 30],
    [['shell', 'profiles', 'my node', 'escApe'], 31],
  ];
  for (const [path, line] of rows) {
    it(`finds ${path.join('.')} on line ${line}`, () => assert.equal(lines.lineOf(path), line));
  }

  it('answers with the nearest parent that has a line', () => {
    assert.equal(lines.lineOf(['plugins', 'providers', 1, 'command']), 24);
    assert.equal(lines.lineOf(['absent']), undefined);
    assert.equal(lines.lineOf([]), undefined);
  });

  it('does not take the inside of a text for keys', () => {
    for (const name of ['key', 'and', 'not', 'also']) assert.equal(lines.lineOf([name]), undefined, name);
  });

  it('ends on every text, also on one that no parser accepts', () => {
    const piece = fc.constantFrom(
      '[',
      ']',
      '[[',
      '{',
      '}',
      '=',
      '.',
      ',',
      '"',
      "'",
      '"""',
      "'''",
      '\\',
      '#',
      '\n',
      ' ',
      'a',
      'b=1',
      '"\\q"',
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(piece, fc.string()), { maxLength: 40 }), (pieces) => {
        locateTomlKeys(pieces.join('')).lineOf(['a']);
      }),
      { numRuns: 2000 },
    );
  });

  it('a text that opens brackets without end does not run out of stack', () => {
    for (const open of ['[', '{a=', '[{a=']) {
      assert.equal(locateTomlKeys(`first = 1\nx = ${open.repeat(200_000)}`).lineOf(['first']), 1);
    }
  });

  it('keys of a thousand parts cost the text and not its square', () => {
    const row = (index: number) =>
      `k${index}${'.a'.repeat(1_000)} = ${'{a = '.repeat(500)}1${'}'.repeat(500)}`;
    const text = Array.from({ length: 200 }, (_, index) => row(index)).join('\n');
    // As lists of whole paths this was a gigabyte, and ended the process.
    assert.equal(locateTomlKeys(text).lineOf(['k199', 'a', 'a']), 200);
  });
});
