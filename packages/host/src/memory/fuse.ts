/** How far a rank counts: the first of a list is worth 1/61, the second 1/62. The value that its authors found good for any lists. */
const FUSION_K = 60;

/** Something found, and how well over all lists. */
export interface Fused<Id> {
  readonly id: Id;
  readonly score: number;
}

/**
 * Reciprocal-rank fusion: each list gives 1/(60 + rank) to what stands in it, and sums decide. Scores of different searches cannot be compared,
 * their ranks can. The best first; equal ones in the order in which they were met. A list counts the first place of what it names twice.
 */
export function fuse<Id>(...lists: readonly (readonly Id[])[]): readonly Fused<Id>[] {
  const scores = new Map<Id, number>();
  for (const list of lists)
    for (const [rank, id] of [...new Set(list)].entries())
      scores.set(id, (scores.get(id) ?? 0) + 1 / (FUSION_K + rank + 1));
  return [...scores].map(([id, score]) => ({ id, score })).sort((left, right) => right.score - left.score);
}
