import type { Embedder } from '@fairlead/host';

/**
 * Stands in for a model where none can be asked: a text is the sum of the trigrams of its words, each hashed to a few dimensions. It knows no
 * meaning, only that words look alike; a model knows more. The same on every machine.
 */
export function trigramEmbedder(dimensions: number, model = `trigrams/${dimensions}`): Embedder {
  return {
    model,
    embed: async (texts) => ({ ok: true, vectors: texts.map((text) => trigramVector(text, dimensions)) }),
  };
}

function trigramVector(text: string, dimensions: number): readonly number[] {
  const vector = new Array<number>(dimensions).fill(0);
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) {
    // Short words are mostly the little ones that stand everywhere.
    const weight = Math.min(1, (word.length - 1) / 5) ** 2;
    const framed = `^${word}$`;
    for (let at = 0; at + 3 <= framed.length; at += 1) {
      const hash = hashOf(framed.slice(at, at + 3));
      const place = hash % dimensions;
      vector[place] = (vector[place] ?? 0) + (hash & 0x8000_0000 ? -weight : weight) / Math.sqrt(word.length);
    }
  }
  return vector;
}

/** FNV-1a, then mixed: neighbours in the alphabet are no neighbours here. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (hash ^ (hash >>> 13)) >>> 0;
}
