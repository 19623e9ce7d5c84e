/** What one `git status` says about a repository. */
export interface RepositoryState {
  /** The branch, or empty when the head is detached. */
  readonly branch: string;
  /** The object name of the commit that is checked out, or empty before the first commit. */
  readonly head: string;
  readonly detached: boolean;
  /** One line per path that differs: two letters as in `git status --short`, a space, the path. */
  readonly status: string;
}

/**
 * Reads `git status --porcelain=v2 --branch`, or answers null for what is not that.
 * Format: https://git-scm.com/docs/git-status, "Porcelain Format Version 2".
 */
export function readPorcelain(output: string): RepositoryState | null {
  const lines = output.split('\n').filter((line) => line !== '');
  const commit = headerOf(lines, 'branch.oid');
  const branch = headerOf(lines, 'branch.head');
  if (commit === null || branch === null) return null;
  const entries: string[] = [];
  for (const line of lines) {
    if (line.startsWith('# ')) continue;
    const entry = shortEntry(line);
    if (entry === null) return null;
    entries.push(entry);
  }
  const detached = branch === '(detached)';
  return {
    branch: detached ? '' : branch,
    head: commit === '(initial)' ? '' : commit,
    detached,
    status: entries.join('\n'),
  };
}

function headerOf(lines: readonly string[], name: string): string | null {
  const prefix = `# ${name} `;
  return lines.find((line) => line.startsWith(prefix))?.slice(prefix.length) ?? null;
}

// How many fields stand before the path, by the kind of the line.
const FIELDS_BEFORE_PATH: Readonly<Record<string, number>> = { '1': 8, '2': 9, u: 10 };

function shortEntry(line: string): string | null {
  const kind = line.charAt(0);
  if (kind === '?') return `?? ${line.slice(2)}`;
  const skipped = FIELDS_BEFORE_PATH[kind];
  const fields = line.split(' ');
  const letters = fields[1];
  if (skipped === undefined || letters === undefined || fields.length <= skipped) return null;
  const path = fields.slice(skipped).join(' ');
  return `${letters.replaceAll('.', ' ')} ${kind === '2' ? renamed(path) : path}`;
}

// Git prints "new TAB old"; people read "old -> new".
function renamed(paths: string): string {
  const [now, before] = paths.split('\t');
  return `${before} -> ${now}`;
}
