/** An allowlist in its three states. */
export type Allowlist<T> = readonly T[] | undefined;

/**
 * What two allowlists both allow, where an entry allows itself and all below it and two entries are nested or apart. The result is the
 * narrower of each nested pair, so it holds nothing that was in neither list.
 */
export function narrower<T>(
  left: Allowlist<T>,
  right: Allowlist<T>,
  covers: (wide: T, narrow: T) => boolean,
): Allowlist<T> {
  if (left === undefined) return right;
  if (right === undefined) return left;
  const both = [
    ...left.filter((entry) => right.some((other) => covers(other, entry))),
    ...right.filter((entry) => left.some((other) => covers(other, entry))),
  ];
  return both.filter(
    (entry, index) =>
      !both.some(
        (other, at) => at !== index && covers(other, entry) && (at < index || !covers(entry, other)),
      ),
  );
}
