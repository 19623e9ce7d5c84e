/** What a peer tells its host beside answers: nothing of it needs a reply. */
export type StoreReport =
  | {
      /** Own commits from before a restore came back before the first new one. */
      readonly code: 'backup_taken_back';
      readonly database: string;
      readonly commits: number;
    }
  | { readonly code: 'commit_fork'; readonly database: string; readonly author: string; readonly seq: number }
  | { readonly code: 'commit_denied'; readonly database: string; readonly commits: number }
  /** The other's wall clock differs by more than a minute: what the slower one writes last may sort first. */
  | { readonly code: 'clock_skew'; readonly peer: string; readonly skewMs: number }
  /** A consumer of writes threw and will be tried again. `cause` stays inside the process. */
  | {
      readonly code: 'consumer_failed';
      readonly consumer: string;
      readonly retryMs: number;
      readonly cause: unknown;
    }
  /** This incarnation of the data folder writes under a new author. */
  | {
      readonly code: 'author_minted';
      readonly author: string;
      readonly why: 'first' | 'moved' | 'older' | 'dropped';
    };

export type Report = (report: StoreReport) => void;
