/** The few signs that a screen is made of. */
export type Marks = {
  readonly prompt: string;
  readonly more: string;
  readonly completed: string;
  readonly notStarted: string;
  readonly unknown: string;
  readonly running: string;
  readonly question: string;
  readonly bar: string;
  readonly full: string;
  readonly empty: string;
  readonly rule: string;
  readonly dot: string;
};

/** For terminals that speak UTF-8. */
export const unicodeMarks: Marks = {
  prompt: '›',
  more: '·',
  completed: '✓',
  notStarted: '○',
  unknown: '!',
  running: '●',
  question: '?',
  bar: '│',
  full: '━',
  empty: '─',
  rule: '─',
  dot: '·',
};

/** For the others. */
export const asciiMarks: Marks = {
  prompt: '>',
  more: '.',
  completed: '+',
  notStarted: 'o',
  unknown: '!',
  running: '*',
  question: '?',
  bar: '|',
  full: '=',
  empty: '-',
  rule: '-',
  dot: '-',
};
