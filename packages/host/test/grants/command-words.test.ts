import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import fc from 'fast-check';
import { commandLineOf } from '../../src/grants/command-words.ts';

test('words are read as a shell reads them', () => {
  const cases: [string, readonly string[]][] = [
    ['git log  --oneline', ['git', 'log', '--oneline']],
    ['\tls\t', ['ls']],
    [`echo 'a  b' "c d" e\\ f`, ['echo', 'a  b', 'c d', 'e f']],
    [`printf '%s|;$(x)\n' ''`, ['printf', '%s|;$(x)\n', '']],
    [`echo "a\\"b\\\\c\\d"`, ['echo', 'a"b\\c\\d']],
    [`echo "a\\$b\\\`c"`, ['echo', 'a$b`c']],
    ['date +%s file~ a#b a=b x!', ['date', '+%s', 'file~', 'a#b', 'a=b', 'x!']],
    [`a'b'"c"d`, ['abcd']],
    ['./run', ['./run']],
  ];
  for (const [text, argv] of cases) assert.deepEqual(commandLineOf(text), { kind: 'words', argv }, text);
});

test('what needs a shell is for sh as a whole', () => {
  const texts = [
    ...['ls | wc', 'ls; rm x', 'ls && rm x', 'ls &', 'ls\nrm x', 'ls\r\nrm', 'echo $(rm x)', 'echo `rm x`'],
    ...[
      'echo $HOME',
      'echo "$HOME"',
      'echo "`rm`"',
      'ls > f',
      'ls < f',
      'ls *',
      'ls ?',
      'ls [a]',
      'echo {a,b}',
    ],
    ...['(ls)', 'X=1 rm x', 'X+=1 rm', 'cd /', '. f', 'eval rm', 'exec rm', '! ls', '~/x', '# x', 'if true'],
    ...["echo 'open", 'echo "open', 'echo \\', 'a\\\nb', '"a\\\nb"', 'a\0b', "'a\0b'", 'export X=1'],
  ];
  for (const text of texts)
    assert.deepEqual(commandLineOf(text), { kind: 'shell', argv: ['sh', '-c', text] }, JSON.stringify(text));
});

test('nothing to run is said so', () => {
  for (const text of ['', '  ', '\t']) assert.deepEqual(commandLineOf(text), { kind: 'empty' });
});

test('whatever is read as words, a shell reads as the same words', {
  skip: process.platform === 'win32',
}, () => {
  const pieces = [...' \t\'"\\ab=-/%~#!', '$x', ';', '\n', '|'];
  const text = fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map((parts) => `p ${parts.join('')}`);
  const lines = fc.sample(text, { numRuns: 400, seed: 20 });
  const words = lines.flatMap((line) => {
    const read = commandLineOf(line);
    return read.kind === 'words' ? [{ line, argv: read.argv }] : [];
  });
  assert.ok(words.length > 100);
  const script = [
    "p() { for w; do printf '%s\\1' \"$w\"; done; printf '\\2'; }",
    ...words.map(({ line }) => line),
  ];
  const said = execFileSync('sh', ['-c', script.join('\n')], { encoding: 'utf8' }).split('\u0002');
  for (const [at, { line, argv }] of words.entries())
    assert.deepEqual(said[at]?.split('\u0001').slice(0, -1), argv.slice(1), line);
});
