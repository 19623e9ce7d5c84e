/** A text that an extension adds to a request, with what it costs. */
export interface AddedText {
  readonly owner: string;
  /** A block of the system prompt, what `beforeAgentStart` added, or a tail. */
  readonly kind: 'block' | 'message' | 'tail';
  /** About. */
  readonly tokens: number;
}

/** What one extension adds, its largest text last. */
interface OfOwner<T> {
  tokens: number;
  readonly texts: T[];
}

/**
 * What has to be left out, each text whole, so that the rest fits into `room` tokens: the largest text of whoever adds most, and so on. One
 * extension that adds too much loses its texts before any other does.
 */
export function beyondShare<T extends AddedText>(texts: readonly T[], room: number): readonly T[] {
  const byOwner = new Map<string, OfOwner<T>>();
  let over = -room;
  for (const text of texts.toSorted((one, other) => one.tokens - other.tokens)) {
    const own: OfOwner<T> = byOwner.get(text.owner) ?? { tokens: 0, texts: [] };
    own.tokens += text.tokens;
    own.texts.push(text);
    byOwner.set(text.owner, own);
    over += text.tokens;
  }
  const beyond: T[] = [];
  while (over > 0) {
    const most = [...byOwner.values()].toSorted((one, other) => other.tokens - one.tokens)[0];
    const largest = most?.texts.pop();
    if (most === undefined || largest === undefined) break;
    most.tokens -= largest.tokens;
    over -= largest.tokens;
    beyond.push(largest);
  }
  return beyond;
}

const WORDS = Object.freeze({ block: 'A block', message: 'A message', tail: 'The tail' });

/** What the log says of one. */
export function beyondText({ owner, kind, tokens }: AddedText): string {
  return `${WORDS[kind]} of ${owner}, about ${tokens} tokens, was left out of what reaches the model.`;
}
