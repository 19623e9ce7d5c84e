/** How a command line can be run: as words, without a shell, or by one. */
export type CommandLine =
  | { readonly kind: 'words'; readonly argv: readonly string[] }
  | { readonly kind: 'shell'; readonly argv: readonly ['sh', '-c', string] }
  | { readonly kind: 'empty' };

/** Outside quotes each of these means something to a shell. A backslash is read here. */
const SPECIAL = new Set('|&;<>()$`\n\r*?[]{}');

/** These only where a word begins. */
const SPECIAL_IN_FRONT = new Set('#~!');

/** In double quotes only these do. */
const SPECIAL_IN_QUOTES = new Set('$`');

/** First words that only a shell knows. */
const SHELL_WORDS: ReadonlySet<string> = new Set([
  ...[
    'if',
    'then',
    'else',
    'elif',
    'fi',
    'for',
    'while',
    'until',
    'do',
    'done',
    'case',
    'esac',
    'in',
    'select',
  ],
  ...[
    'function',
    'coproc',
    'time',
    '.',
    ':',
    'source',
    'eval',
    'exec',
    'cd',
    'pushd',
    'popd',
    'dirs',
    'export',
  ],
  ...['set', 'unset', 'shift', 'trap', 'ulimit', 'umask', 'alias', 'unalias', 'readonly', 'local', 'declare'],
  ...['typeset', 'let', 'read', 'return', 'exit', 'break', 'continue', 'wait', 'jobs', 'fg', 'bg', 'command'],
  ...['builtin', 'type', 'hash', 'history', 'getopts', 'times', 'shopt', 'enable', 'mapfile', 'readarray'],
]);

/**
 * Reads a command line as a POSIX shell would read its words. Whatever needs more than words (a pipe, a redirection, a variable, a
 * pattern, a second line, an assignment in front, a word that only a shell knows, a quote that stays open) is for `sh -c`, whole.
 */
export function commandLineOf(text: string): CommandLine {
  const argv = wordsOf(text);
  if (argv === null) return { kind: 'shell', argv: ['sh', '-c', text] };
  const [program] = argv;
  if (program === undefined) return { kind: 'empty' };
  const needsShell = SHELL_WORDS.has(program) || /^[A-Za-z_][A-Za-z0-9_]*\+?=/.test(program);
  return needsShell ? { kind: 'shell', argv: ['sh', '-c', text] } : { kind: 'words', argv };
}

/** Null where the text is more than words. */
function wordsOf(text: string): string[] | null {
  const words: string[] = [];
  let word: string | undefined;
  let at = 0;
  while (at < text.length) {
    const char = text.charAt(at);
    at += 1;
    if (char === ' ' || char === '\t') {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (char === "'" || char === '"') {
      const quoted = quotedFrom(text, at, char);
      if (quoted === null) return null;
      word = (word ?? '') + quoted.text;
      at = quoted.end;
    } else if (char === '\\') {
      // Before a line break it joins lines; at the end there is nothing that it could quote.
      if (at === text.length || text.charAt(at) === '\n') return null;
      word = (word ?? '') + text.charAt(at);
      at += 1;
    } else if (SPECIAL.has(char) || char === '\0') return null;
    else if (word === undefined && SPECIAL_IN_FRONT.has(char)) return null;
    else word = (word ?? '') + char;
  }
  if (word !== undefined) words.push(word);
  return words;
}

/** What stands between quotes that opened just before `start`, and where to go on; null where only a shell can say. */
function quotedFrom(
  text: string,
  start: number,
  quote: string,
): { readonly text: string; readonly end: number } | null {
  let inside = '';
  for (let at = start; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (char === quote) return { text: inside, end: at + 1 };
    if (char === '\0') return null;
    if (quote === '"' && SPECIAL_IN_QUOTES.has(char)) return null;
    if (quote === '"' && char === '\\') {
      const next = text.charAt(at + 1);
      if (next === '\n') return null;
      // Between double quotes a backslash quotes only these, and otherwise stands for itself.
      if (next === '"' || next === '\\' || next === '$' || next === '`') {
        inside += next;
        at += 1;
        continue;
      }
    }
    inside += char;
  }
  return null;
}
