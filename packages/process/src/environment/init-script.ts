import type { Dialect } from './shell.ts';

/**
 * The one argument that a profile's shell gets: it ends at the first error, runs the init text, prints the marker on a line of
 * its own, the environment as `NAME=value` with a NUL after each, and the marker again.
 * `marker`: letters and digits that nobody can guess.
 */
export function initScriptText(dialect: Dialect, init: string, marker: string): string {
  return dialect === 'posix' ? posixText(init, marker) : powershellText(init, marker);
}

function posixText(init: string, marker: string): string {
  // The empty line ends a last line that is continued by a backslash. `command` passes by functions of these names, and `env`
  // is found where every system has it even if the init text has left no PATH.
  return [
    'set -e',
    init,
    '',
    `command printf '\\n%s\\n' '${marker}'`,
    'if [ -x /usr/bin/env ]; then /usr/bin/env -0; else command env -0; fi',
    `command printf '%s\\n' '${marker}'`,
    '',
  ].join('\n');
}

function powershellText(init: string, marker: string): string {
  // Written as bytes: what PowerShell prints goes through the console's code page.
  return [
    "$ErrorActionPreference = 'Stop'",
    init,
    '',
    '$fairleadOut = [Console]::OpenStandardOutput()',
    '$fairleadUtf8 = New-Object System.Text.UTF8Encoding($false, $true)',
    '$fairleadDump = New-Object System.Text.StringBuilder',
    `[void]$fairleadDump.Append("\`n${marker}\`n")`,
    'foreach ($fairleadEntry in [Environment]::GetEnvironmentVariables().GetEnumerator()) {',
    "  [void]$fairleadDump.Append($fairleadEntry.Key).Append('=').Append($fairleadEntry.Value).Append([char]0)",
    '}',
    `[void]$fairleadDump.Append("${marker}\`n")`,
    '$fairleadBytes = $fairleadUtf8.GetBytes($fairleadDump.ToString())',
    '$fairleadOut.Write($fairleadBytes, 0, $fairleadBytes.Length)',
    '$fairleadOut.Flush()',
    '',
  ].join('\n');
}

export type DumpRead =
  | { readonly ok: true; readonly entries: readonly (readonly [string, string])[] }
  | { readonly ok: false; readonly localDetail: string };

/** Reads the environment out of what such a script printed. Whatever stands around the two markers is noise. */
export function readEnvironmentDump(output: Uint8Array, marker: string): DumpRead {
  const bytes = Buffer.from(output.buffer, output.byteOffset, output.byteLength);
  const opening = Buffer.from(`\n${marker}\n`);
  const closing = Buffer.from(`${marker}\n`);
  const start = bytes.indexOf(opening);
  const end = start < 0 ? -1 : bytes.indexOf(closing, start + opening.length);
  if (end < 0) return refused('the init script ended the shell before its environment was printed');
  const dump = bytes.subarray(start + opening.length, end);
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  const entries: (readonly [string, string])[] = [];
  let at = 0;
  while (at < dump.length) {
    const stop = dump.indexOf(0, at);
    if (stop < 0) return refused('the environment is not a list of entries that end in NUL');
    const entry = dump.subarray(at, stop);
    // A name may begin with `=` on Windows, so the sign that ends it is looked for behind the first character.
    const sign = entry.indexOf(0x3d, 1);
    if (sign < 1) return refused('an environment entry has no name');
    try {
      entries.push([decoder.decode(entry.subarray(0, sign)), decoder.decode(entry.subarray(sign + 1))]);
    } catch {
      return refused(`an environment entry is not UTF-8: ${entry.subarray(0, sign).toString('latin1')}`);
    }
    at = stop + 1;
  }
  return { ok: true, entries };
}

function refused(localDetail: string): DumpRead {
  return { ok: false, localDetail };
}
