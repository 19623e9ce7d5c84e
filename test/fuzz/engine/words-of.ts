import { globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** The short texts that stand quoted in source files: what a reader compares with is what an input should hold. */
export function wordsOf(root: string, covers: readonly string[]): string[] {
  const words = new Set<string>();
  for (const path of covers) {
    const whole = join(root, path);
    const files = statSync(whole).isDirectory() ? globSync(`${whole}/**/*.ts`) : [whole];
    for (const file of files.sort())
      for (const [, word = ''] of readFileSync(file, 'utf8').matchAll(/'([^'\n\\]{1,40})'/g))
        if (!word.includes('/') && !word.startsWith('@')) words.add(word);
  }
  return [...words].sort();
}
