import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { initScriptText, readEnvironmentDump } from '../src/environment/init-script.ts';
import { shellDialect } from '../src/index.ts';

test('the POSIX script stops at the first error, runs the text, and prints the environment between two markers', () => {
  assert.equal(
    initScriptText('posix', 'export A=1', 'm4rker'),
    `set -e
export A=1

command printf '\\n%s\\n' 'm4rker'
if [ -x /usr/bin/env ]; then /usr/bin/env -0; else command env -0; fi
command printf '%s\\n' 'm4rker'
`,
  );
});

test('the PowerShell script writes the same bytes as UTF-8, past the console', () => {
  assert.equal(
    initScriptText('powershell', '$env:A = "1"', 'm4rker'),
    `$ErrorActionPreference = 'Stop'
$env:A = "1"

$fairleadOut = [Console]::OpenStandardOutput()
$fairleadUtf8 = New-Object System.Text.UTF8Encoding($false, $true)
$fairleadDump = New-Object System.Text.StringBuilder
[void]$fairleadDump.Append("\`nm4rker\`n")
foreach ($fairleadEntry in [Environment]::GetEnvironmentVariables().GetEnumerator()) {
  [void]$fairleadDump.Append($fairleadEntry.Key).Append('=').Append($fairleadEntry.Value).Append([char]0)
}
[void]$fairleadDump.Append("m4rker\`n")
$fairleadBytes = $fairleadUtf8.GetBytes($fairleadDump.ToString())
$fairleadOut.Write($fairleadBytes, 0, $fairleadBytes.Length)
$fairleadOut.Flush()
`,
  );
});

const read = (text: string | Uint8Array) => readEnvironmentDump(Buffer.from(text), 'mark');

test('noise around the dump is passed over', () => {
  assert.deepEqual(read('welcome mark\nmark of nothing\nmark\nA=1\0B=x=y\n\0mark\ngoodbye'), {
    ok: true,
    entries: [
      ['A', '1'],
      ['B', 'x=y\n'],
    ],
  });
  assert.deepEqual(read('\nmark\nmark\n'), { ok: true, entries: [] });
});

test('a dump that is not whole is refused', () => {
  const ended = 'the init script ended the shell before its environment was printed';
  assert.deepEqual(read(''), { ok: false, localDetail: ended });
  assert.deepEqual(read('\nmark\nA=1\0'), { ok: false, localDetail: ended });
  assert.deepEqual(read('\nmark\nA=1\0Bmark\n'), {
    ok: false,
    localDetail: 'the environment is not a list of entries that end in NUL',
  });
  assert.deepEqual(read('\nmark\nA\0mark\n'), { ok: false, localDetail: 'an environment entry has no name' });
});

test('an entry that is not UTF-8 is refused by its name', () => {
  const bytes = Buffer.concat([
    Buffer.from('\nmark\nA=1\0BAD='),
    Buffer.from([0xff]),
    Buffer.from('\0mark\n'),
  ]);
  assert.deepEqual(read(bytes), { ok: false, localDetail: 'an environment entry is not UTF-8: BAD' });
});

test('a byte order mark belongs to its value', () => {
  assert.deepEqual(read('\nmark\nA=\ufeffx\0mark\n'), { ok: true, entries: [['A', '\ufeffx']] });
});

test('whatever the environment and the noise, it is read back', () => {
  const name = fc
    .string({ minLength: 1, maxLength: 8, unit: 'binary' })
    .filter((text) => !/[=\0]/.test(text));
  const value = fc.string({ maxLength: 20, unit: 'binary' }).filter((text) => !text.includes('\0'));
  const noise = fc.string({ maxLength: 30 });
  fc.assert(
    fc.property(
      fc.array(fc.tuple(name, value), { maxLength: 10 }),
      noise,
      noise,
      (entries, before, after) => {
        const dump = entries.map(([key, text]) => `${key}=${text}\0`).join('');
        const answer = readEnvironmentDump(
          Buffer.from(`${before}\nm4rk3r\n${dump}m4rk3r\n${after}`),
          'm4rk3r',
        );
        assert.deepEqual(answer, { ok: true, entries });
      },
    ),
  );
});

test('a dialect is told by a known program, else by the platform', () => {
  assert.deepEqual(
    [
      shellDialect('/bin/bash', 'win32'),
      shellDialect('C:\\Program Files\\PowerShell\\pwsh.EXE', 'linux'),
      shellDialect('powershell', 'linux'),
      shellDialect('fish', 'linux'),
      shellDialect('cmd.exe', 'win32'),
      shellDialect('constructor', 'linux'),
    ],
    ['posix', 'powershell', 'powershell', 'posix', 'powershell', 'posix'],
  );
});
