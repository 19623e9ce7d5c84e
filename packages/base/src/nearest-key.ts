/**
 * The known key that a misspelt one most likely meant, or undefined when none is near: at most a third of the word,
 * and never more than three letters, may differ.
 */
export function nearestKey(written: string, known: Iterable<string>): string | undefined {
  const word = written.toLowerCase().slice(0, 64);
  let nearest: string | undefined;
  let least = Math.min(3, Math.max(1, Math.ceil(word.length / 3))) + 1;
  for (const candidate of known) {
    // As many letters as the lengths differ must be inserted or removed at least: most candidates need no look.
    const letters = candidate.toLowerCase();
    if (Math.abs(letters.length - word.length) >= least) continue;
    const distance = editDistance(word, letters);
    if (distance < least) {
      least = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

/** Letters inserted, removed, replaced, or swapped with their neighbour. */
function editDistance(left: string, right: string): number {
  let before: number[] = [];
  let previous = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let row = 1; row <= left.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= right.length; column += 1) {
      const same = left[row - 1] === right[column - 1];
      let cost = Math.min(
        (previous[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (previous[column - 1] ?? 0) + (same ? 0 : 1),
      );
      const swapped = left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      if (row > 1 && column > 1 && swapped) cost = Math.min(cost, (before[column - 2] ?? 0) + 1);
      current.push(cost);
    }
    before = previous;
    previous = current;
  }
  return previous[right.length] ?? 0;
}
