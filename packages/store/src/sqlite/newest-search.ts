import type { Json } from '@fairlead/base';
import { SEARCH_COUNTED, SEARCH_FETCHED, SEARCH_POSTINGS, SEARCH_RANKED, SEARCH_WEIGHED } from '../limits.ts';
import type { StoredRecord, WordQuery } from '../log/log-engine.ts';
import type { PreparedStatements } from './prepared.ts';
import { OPS_A_NUMBER, placeOf, quoted, recordOf, textsOf } from './word-index.ts';

// Streams from the newest: it ends at its bound, however many there are.
const MATCHES = 'SELECT rowid AS place FROM words WHERE words MATCH ? ORDER BY rowid DESC LIMIT ?';
const COUNT = 'SELECT count(*) AS records FROM (SELECT 1 FROM words WHERE words MATCH ? LIMIT ?)';
const NEWEST_AT = `SELECT l.hlc, l.author, l.seq, l.op, l.key, l.value
  FROM commits AS c JOIN chains AS h ON h.id = c.chain
  JOIN records AS r ON r.store = ? AND r.hlc = c.hlc AND r.author = h.author AND r.seq = c.seq AND r.op = ?
  JOIN latest AS l ON l.store = r.store AND l.key = r.key
    AND l.hlc = r.hlc AND l.author = r.author AND l.seq = r.seq AND l.op = r.op
  WHERE c.n = ?`;

/** How fast more of the same word stops to count, and how much long texts are held against. Those of the engine. */
const K1 = 1.2;
const B = 0.75;

interface Word {
  readonly text: string;
  readonly isPrefix: boolean;
  /** What it says that a record holds it: the more, the fewer do. */
  readonly weight: number;
}

/**
 * Looks for the newest records of their keys by any of several words. The engine's own ranking reads every record that holds a word, which
 * is most of a large table for a common one; here a word brings at most its newest few thousand, how rare the words are chooses the
 * candidates, and only the texts of those are weighed. In steps of a few milliseconds, so that a search never holds the thread.
 */
export class NewestSearch {
  readonly #prepared: PreparedStatements;
  readonly #store: number;
  readonly #limit: number;
  readonly #must: readonly string[];
  readonly #any: readonly string[];
  readonly #words: Word[] = [];
  /** By place, newest first within a word: what it is worth by the words that it holds. */
  readonly #worth = new Map<number, number>();
  #records: number | undefined;
  #candidates: readonly number[] | undefined;
  #fetched = 0;
  readonly #found: StoredRecord[] = [];

  constructor(prepared: PreparedStatements, store: number, query: WordQuery, limit: number) {
    this.#prepared = prepared;
    this.#store = store;
    this.#limit = limit;
    this.#must = query.all ?? [];
    this.#any = query.any ?? [];
  }

  /** Goes on; the records, best first, once it is done. */
  step(): readonly StoredRecord[] | undefined {
    if (this.#limit <= 0 || this.#must.length + this.#any.length === 0) return [];
    if (this.#records === undefined) {
      const place = `place:${placeOf(this.#store)}`;
      const found = Number(this.#prepared.get(COUNT).get(place, SEARCH_COUNTED)?.['records']);
      // Beyond the bound nobody counts on: only how rare words are, one beside the other, matters.
      this.#records = found === SEARCH_COUNTED ? SEARCH_COUNTED * 10 : found;
      return undefined;
    }
    const next = this.#any[this.#words.length];
    if (next !== undefined) this.#look(next);
    else if (this.#candidates === undefined) this.#choose();
    else if (this.#fetched < this.#candidates.length && this.#found.length < this.#wanted) this.#fetch();
    else return this.#ranked();
    return undefined;
  }

  /** More than are asked for: which are the best is known by their texts. */
  get #wanted(): number {
    return Math.min(SEARCH_RANKED, Math.max(this.#limit * 2, SEARCH_WEIGHED));
  }

  #places(words: readonly string[], limit: number): readonly number[] {
    const all = words.map((word) => ` AND body:${quoted(word)}`).join('');
    const rows = this.#prepared.get(MATCHES).all(`place:${placeOf(this.#store)}${all}`, limit);
    return rows.map((row) => Number(row['place']));
  }

  #look(text: string): void {
    const places = this.#places([...this.#must, text], SEARCH_POSTINGS);
    const records = Math.max(this.#records ?? 0, places.length);
    const weight = Math.log(1 + (records - places.length + 0.5) / (places.length + 0.5));
    const isPrefix = text.length > 1 && text.endsWith('*');
    this.#words.push({ text: folded(isPrefix ? text.slice(0, -1) : text), isPrefix, weight });
    for (const place of places) this.#worth.set(place, (this.#worth.get(place) ?? 0) + weight);
  }

  #choose(): void {
    if (this.#any.length === 0) {
      this.#candidates = this.#places(this.#must, SEARCH_RANKED);
      return;
    }
    const best: number[] = [];
    const worth = (index: number): number => this.#worth.get(best[index] ?? -1) ?? 0;
    for (const [place, value] of this.#worth) {
      if (best.length === SEARCH_RANKED && value <= worth(best.length - 1)) continue;
      let low = 0;
      let high = best.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (worth(middle) >= value) low = middle + 1;
        else high = middle;
      }
      best.splice(low, 0, place);
      if (best.length > SEARCH_RANKED) best.pop();
    }
    this.#candidates = best;
  }

  #fetch(): void {
    const places = this.#candidates?.slice(this.#fetched, this.#fetched + SEARCH_FETCHED) ?? [];
    this.#fetched += places.length;
    for (const place of places) {
      const [op, n] = [place % OPS_A_NUMBER, Math.floor(place / OPS_A_NUMBER)];
      const row = this.#prepared.get(NEWEST_AT).get(this.#store, op, n);
      if (row !== undefined) this.#found.push(recordOf(row));
    }
  }

  #ranked(): readonly StoredRecord[] {
    if (this.#any.length === 0) return this.#found.slice(0, this.#limit);
    const texts = this.#found.map(({ key, value }) => tokensOf(textsOf(key, JSON.parse(value) as Json)));
    const usual = texts.reduce((sum, { length }) => sum + length, 0) / Math.max(1, texts.length);
    return this.#found
      .map((record, index) => ({ record, score: this.#score(texts[index] ?? [], usual) }))
      .sort((left, right) => right.score - left.score)
      .slice(0, this.#limit)
      .map(({ record }) => record);
  }

  /** BM25. */
  #score(tokens: readonly string[], usual: number): number {
    const long = K1 * (1 - B + (B * tokens.length) / usual);
    let score = 0;
    for (const { text, isPrefix, weight } of this.#words) {
      let count = 0;
      for (const token of tokens) if (isPrefix ? token.startsWith(text) : token === text) count += 1;
      score += (weight * count * (K1 + 1)) / (count + long);
    }
    return score;
  }
}

/** As the index has words: without case and accents. */
function folded(text: string): string {
  return text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();
}

function tokensOf(text: string): readonly string[] {
  return folded(text).match(/[\p{L}\p{N}\p{Co}]+/gu) ?? [];
}
