import { seededRandom } from '@fairlead/testing';

const COUNT = 64;
/** With the JSON around it the arguments of a call are 1 KiB. */
const CHARACTERS = 1_013;
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz      ';

/** Repeats 64 texts chosen by `seed`: what every echo is sent. */
export function textsOf(seed: number): (index: number) => string {
  const random = seededRandom(seed);
  const texts = Array.from({ length: COUNT }, () =>
    Array.from({ length: CHARACTERS }, () => ALPHABET[random.below(ALPHABET.length)]).join(''),
  );
  return (index) => texts[index % COUNT] as string;
}

/** Throws when an answer's `structuredContent.text` is not what was sent: a wrong answer must not count as a fast one. */
export function checkEcho(result: unknown, text: string): void {
  const content = (result as { structuredContent?: { text?: unknown } } | null | undefined)
    ?.structuredContent;
  if (content?.text !== text) throw new Error(`not what was sent: ${JSON.stringify(result)}`);
}
