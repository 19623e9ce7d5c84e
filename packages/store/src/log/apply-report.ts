/** Why a commit was not applied. */
export type RefusalCode =
  | 'commit_malformed'
  | 'commit_too_large'
  | 'commit_foreign'
  | 'commit_fork'
  | 'commit_gap'
  | 'commit_hash_mismatch'
  | 'commit_signature_invalid'
  | 'commit_clock_invalid'
  | 'commit_waiting'
  | 'commit_denied';

export type Refusal = { readonly author: string; readonly seq: number; readonly code: RefusalCode };

/** What became of commits handed to `apply`. Every commit is counted once in the first three or named in `refused`. */
export type ApplyReport = {
  /** New here, and in force. */
  readonly applied: number;
  /** Here already, the same commit. */
  readonly known: number;
  /** Refused for now (`commit_waiting`): they name a change of the settings that is not here yet. */
  readonly waiting: number;
  /** Everything that was not applied, with its code; author "" and seq 0 where not even those could be read. */
  readonly refused: readonly Refusal[];
  /** How many of the refused are kept aside: those without standing, and proofs of a fork. */
  readonly quarantined: number;
};

/** Gathers a report while commits are judged. */
export class ReportDraft {
  applied = 0;
  known = 0;
  quarantined = 0;
  readonly #refused: Refusal[] = [];

  refuse(at: { readonly author: string; readonly seq: number }, code: RefusalCode): void {
    this.#refused.push({ author: at.author, seq: at.seq, code });
  }

  finished(): ApplyReport {
    const waiting = this.#refused.filter(({ code }) => code === 'commit_waiting').length;
    const { applied, known, quarantined } = this;
    return { applied, known, waiting, refused: this.#refused, quarantined };
  }
}

export function addReports(left: ApplyReport, right: ApplyReport): ApplyReport {
  return {
    applied: left.applied + right.applied,
    known: left.known + right.known,
    waiting: left.waiting + right.waiting,
    refused: [...left.refused, ...right.refused],
    quarantined: left.quarantined + right.quarantined,
  };
}
