/**
 * A vector in signed bytes, the longest of its numbers as 127: what a cosine of two such vectors loses is less than what divides two models. An
 * empty, infinite or all-zero vector is none: undefined.
 */
export function quantized(vector: ArrayLike<number>): Int8Array | undefined {
  let longest = 0;
  for (let index = 0; index < vector.length; index += 1) {
    const size = Math.abs(vector[index] ?? 0);
    if (!Number.isFinite(size)) return undefined;
    if (size > longest) longest = size;
  }
  if (longest === 0) return undefined;
  const bytes = new Int8Array(vector.length);
  for (let index = 0; index < bytes.length; index += 1)
    bytes[index] = Math.round(((vector[index] ?? 0) / longest) * 127);
  return bytes;
}

/** Its length as a vector. */
export function normOf(bytes: Int8Array): number {
  let sum = 0;
  for (const byte of bytes) sum += byte * byte;
  return Math.sqrt(sum);
}
