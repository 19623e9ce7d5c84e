/** What a stream of a session tells, as the host says it; docs/reference/http-api.md has what is sent. */
export type SessionStreamEvent =
  | { readonly kind: 'entry'; readonly cursor: number; readonly entry: object }
  /** What came between is not told: read the entries again. */
  | { readonly kind: 'reset' }
  | {
      readonly kind: 'delta';
      readonly turn: string;
      readonly step: number;
      readonly what: 'text' | 'reasoning' | 'arguments';
      /** Where the text stands in what the step said so far, in UTF-16 units. */
      readonly at: number;
      readonly text: string;
    }
  | { readonly kind: 'step_reset'; readonly turn: string; readonly step: number }
  | {
      readonly kind: 'state';
      readonly turn: string;
      readonly agent: string;
      readonly state: 'queued' | 'model' | 'tool' | 'approval';
      readonly tool?: string;
    }
  | {
      readonly kind: 'progress';
      readonly call: string;
      readonly done: number;
      readonly total?: number;
      readonly text: string;
    }
  | { readonly kind: 'approval'; readonly approval: string; readonly state: string };
