import { inspect, isDeepStrictEqual } from 'node:util';
import { locateTomlKeys, type TomlLines } from '@fairlead/base';
import { noteText } from '@fairlead/runner';
import { parse } from 'smol-toml';
import { parseRunnerConfig } from '../../../packages/runner/src/config/runner-config.ts';
import { hold, type Target } from '../engine/target.ts';
import { configOnPage } from './second-readers/runner-page.ts';

export const target: Target = {
  name: 'runner-toml',
  holds:
    'a text is the configuration that its page says it is, or has a code and says where; every line that is named is there',
  covers: [
    'packages/runner/src/config',
    'packages/base/src/toml-lines.ts',
    'packages/base/src/nearest-key.ts',
  ],
  form: 'text',
  maxBytes: 8_192,
  words: [
    '[[plugins.providers]]\n',
    '[shell]\n',
    '[shell.profiles.x]\n',
    '"/"',
    '"""',
    "'''",
    '= {',
    '= [',
    '\n',
    '.',
    '"\\u0041"',
    '1979-05-27',
    '1_000',
    'inf',
  ],
  seeds: () => [
    'client_id = "local"\nserver_url = "http://127.0.0.1:1"\nname = "N"\n',
    '[[plugins.providers]]\nid = "a"\nname = "A"\ncommand = "node"\nargs = ["x", \'y\']\ncwd = "/tmp"\ntimeout_secs = 30\nmax_queued = 2\nisolation = "none"\n[plugins.providers.tool_timeout_secs]\nt = 5\n',
    '[shell]\nprogram = "/bin/sh"\nargs = ["-c"]\npath_prepend = ["/opt/bin"]\ninit_timeout_secs = 5\n[shell.env]\nA = "1"\n[shell.profiles.p]\nenv = { B = "2" }\n',
    '# a comment\n"odd key" = 1\nplugin = """\nmore\n"""\na.b.c = [1, [2, {d = 3}]]\n[[x]]\n[[x.y]]\nz = 2026-01-01T00:00:00Z\n',
  ],
  open: async () => ({ run }),
};

function run(input: Uint8Array): void {
  const text = Buffer.from(input).toString();
  const document = parsed(text);
  const lineCount = text.split('\n').length;
  for (const platform of ['linux', 'win32'] as const) {
    const reading = parseRunnerConfig(text, platform);
    const notes = reading.ok ? reading.warnings : reading.faults;
    for (const note of notes) {
      hold(noteText(note) !== '', 'a note has words');
      hold(
        note.line === undefined || (note.line >= 1 && note.line <= lineCount),
        'a line that is named is there',
      );
    }
    const config = document === null ? null : configOnPage(document, platform);
    hold(reading.ok === (config !== null), 'a text is refused exactly where its page says so', () =>
      JSON.stringify(notes.map(noteText)),
    );
    if (reading.ok)
      hold(isDeepStrictEqual(reading.config, config), 'a text is the configuration of its page', () =>
        inspect([reading.config, config], { depth: 9 }),
      );
    else {
      const code = document === null ? 'plugin_config_parse_failed' : 'plugin_config_invalid';
      hold(reading.code === code, 'a refusal has a code');
      hold(notes.length > 0, 'a refusal says where');
    }
  }
  const lines = locateTomlKeys(text);
  if (document !== null) judgeLines(text, document, lines);
}

/** Wherever the parser takes a text, every key of it has a line, and that line holds the key. */
function judgeLines(text: string, values: Readonly<Record<string, unknown>>, lines: TomlLines): void {
  const written = text.split('\n');
  for (const key of Object.keys(values)) {
    const line = lines.lineOf([key]);
    hold(line !== undefined && line <= written.length, 'a key of the text has a line', () =>
      JSON.stringify([key, line]),
    );
    const plain = /^[A-Za-z0-9_-]+$/.test(key);
    if (plain && !text.includes('\\'))
      hold(written[line - 1]?.includes(key) === true, 'the line of a key holds it', () =>
        JSON.stringify([key, line]),
      );
  }
}

function parsed(text: string): Readonly<Record<string, unknown>> | null {
  try {
    return parse(text);
  } catch {
    return null;
  }
}
