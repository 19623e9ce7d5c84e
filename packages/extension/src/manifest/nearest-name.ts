/** Names that are compared: a longer one is no misspelling of ours. */
const MOST = 64;

/** The one of `names` that was most likely meant: two changed letters at most, whatever the case. */
export function nearestName(name: string, names: readonly string[]): string | undefined {
  let nearest: string | undefined;
  let least = 3;
  if (name.length > MOST) return undefined;
  for (const candidate of names) {
    const changes = changesBetween(name.toLowerCase(), candidate.toLowerCase());
    // A short name is changed into anything by two letters.
    if (changes >= least || changes * 2 >= candidate.length) continue;
    least = changes;
    nearest = candidate;
  }
  return nearest;
}

/** Letters put in, taken out or replaced between two texts. */
function changesBetween(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let line = 1; line <= one.length; line += 1) {
    const next = [line];
    for (let column = 1; column <= other.length; column += 1) {
      const replaced = (row[column - 1] ?? 0) + (one[line - 1] === other[column - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}
