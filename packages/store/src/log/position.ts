/** Where a commit stands in the order that all peers share: (hlc, author, seq). */
export type Position = { readonly hlc: number; readonly author: string; readonly seq: number };

/** Negative when `left` comes first. Author ids are ASCII, so that code unit order is byte order. */
export function comparePositions(left: Position, right: Position): number {
  if (left.hlc !== right.hlc) return left.hlc - right.hlc;
  if (left.author !== right.author) return left.author < right.author ? -1 : 1;
  return left.seq - right.seq;
}
