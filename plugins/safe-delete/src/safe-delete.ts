import type { Disk } from './disk.ts';
import type { SafeDeleteErrorCode } from './errors.ts';
import { BACKEND_TIMEOUT_MS } from './limits.ts';
import { type PathStyle, readRequestedPath } from './requested-path.ts';
import type { Root } from './root.ts';
import { findTarget, standingOf, type Target } from './target.ts';
import type { BackendName, BackendReport, TrashBackend } from './trash-backend.ts';

/** What became of a path. */
export type SafeDeletion =
  | { readonly outcome: 'trashed'; readonly backend: BackendName }
  | { readonly outcome: 'already_absent' }
  | { readonly outcome: 'error'; readonly code: SafeDeleteErrorCode; readonly backend: BackendName | null };

export interface SafeDeleteOptions {
  /** Null when there was none at the start. */
  readonly root: Root | null;
  readonly style: PathStyle;
  readonly disk: Disk;
  /** In the order in which they are tried. */
  readonly backends: readonly TrashBackend[];
  /** For one back end. */
  readonly timeoutMs?: number;
}

/** Moves what `path` names to the trash, or says why it is still there, or that nobody knows. Never rejects. */
export async function safeDelete(path: string, options: SafeDeleteOptions): Promise<SafeDeletion> {
  const { root, style, disk } = options;
  const requested = readRequestedPath(path, style);
  if (!requested.ok) return refused(requested.code);
  const separator = style === 'windows' ? '\\' : '/';
  const found = await findTarget(requested.names, { disk, root, separator });
  if (found.state === 'absent') return { outcome: 'already_absent' };
  if (found.state === 'rejected') return refused(found.code);
  const attempts: Attempt[] = [];
  try {
    return await tryInTurn(found.target, options, attempts);
  } finally {
    // A back end that is late still works with the held folder; its handle's number must not come to stand for another one.
    const closed = Promise.all(attempts.map((attempt) => attempt.ended)).then(() =>
      found.target.parent.close(),
    );
    if (attempts.every((attempt) => attempt.report !== 'late')) await closed;
  }
}

async function tryInTurn(
  target: Target,
  { disk, backends, timeoutMs = BACKEND_TIMEOUT_MS }: SafeDeleteOptions,
  attempts: Attempt[],
): Promise<SafeDeletion> {
  for (const backend of backends) {
    if (attempts.length > 0) {
      const standing = await standingOf(target, disk);
      if (standing === 'gone') return { outcome: 'already_absent' };
      if (standing !== 'there') return refused('path_inspection_failed');
    }
    const attempt = await attempted(backend, target, timeoutMs);
    attempts.push(attempt);
    if (attempt.report !== 'unavailable') return judged(backend.name, attempt.report, target, disk);
  }
  return refused('trash_backend_unavailable');
}

type Report = BackendReport | 'late';

interface Attempt {
  readonly report: Report;
  /** Fulfilled when the back end has really ended, late or not. */
  readonly ended: Promise<unknown>;
}

async function attempted(backend: TrashBackend, target: Target, timeoutMs: number): Promise<Attempt> {
  const abort = new AbortController();
  const late = Promise.withResolvers<'late'>();
  const timer = setTimeout(() => {
    abort.abort();
    late.resolve('late');
  }, timeoutMs);
  const running = backend.run(target, abort.signal).catch((): Report => 'failed');
  const report = await Promise.race([running, late.promise]);
  clearTimeout(timer);
  return { report, ended: running };
}

// The back end's word is one half of the evidence, the target's place the other.
async function judged(
  backend: BackendName,
  report: Exclude<Report, 'unavailable'>,
  target: Target,
  disk: Disk,
): Promise<SafeDeletion> {
  if (report === 'late') return { outcome: 'error', code: 'trash_operation_timeout', backend };
  if (report === 'unsure') return { outcome: 'error', code: 'trash_operation_unknown', backend };
  const standing = await standingOf(target, disk);
  if (report === 'done') {
    if (standing === 'gone') return { outcome: 'trashed', backend };
    return { outcome: 'error', code: 'trash_postcondition_unknown', backend };
  }
  if (standing !== 'there') return { outcome: 'error', code: 'trash_operation_unknown', backend };
  const code = report === 'declined' ? 'trash_backend_unavailable' : 'trash_operation_failed';
  return { outcome: 'error', code, backend };
}

function refused(code: SafeDeleteErrorCode): SafeDeletion {
  return { outcome: 'error', code, backend: null };
}
