import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Most bytes that the corpus of one target may have in the repository. */
export const CORPUS_MAX_BYTES = 200 * 1024;

/** The inputs that are kept for a target, each named by what it holds. */
export class CorpusFolder {
  readonly path: string;

  constructor(folder: string, target: string) {
    this.path = join(folder, target);
  }

  read(): Uint8Array[] {
    if (!existsSync(this.path)) return [];
    return readdirSync(this.path)
      .sort()
      .map((name) => readFileSync(join(this.path, name)));
  }

  /** Makes the folder hold exactly these. */
  write(inputs: readonly Uint8Array[]): void {
    rmSync(this.path, { recursive: true, force: true });
    mkdirSync(this.path, { recursive: true });
    for (const input of inputs) writeFileSync(join(this.path, inputName(input)), input);
  }
}

/** The first 16 hex digits of an input's SHA-256. */
export function inputName(input: Uint8Array): string {
  return createHash('sha256').update(input).digest('hex').slice(0, 16);
}
