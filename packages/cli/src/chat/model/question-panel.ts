import { chatLimits } from '../../limits.ts';
import type { Question } from './block.ts';

/**
 * The call that a person is asked about. It takes keys only where nobody is writing, and a decision needs two: what is chosen, and Enter. Keys that came right
 * after it appeared were meant for the text.
 */
export type QuestionPanel = {
  readonly question: Question;
  readonly sinceMs: number;
  readonly hasFocus: boolean;
  /** One of `decisions`, once somebody chose. */
  readonly choice: string | null;
  /** The letter that chose it: the beginning of a word, if more follows. */
  readonly letter: string;
  readonly isSent: boolean;
};

const LETTERS: Readonly<Record<string, string>> = {
  a: 'approve',
  y: 'approve',
  t: 'approve_turn',
  d: 'deny',
  n: 'deny',
};

/** The words of a decision, with the letter that chooses it first. */
export const decisionWords: Readonly<Record<string, string>> = {
  approve: 'approve',
  approve_turn: 'approve for the turn',
  deny: 'deny',
};

export function panelFor(question: Question, nowMs: number, isWriting: boolean): QuestionPanel {
  return { question, sinceMs: nowMs, hasFocus: !isWriting, choice: null, letter: '', isSent: false };
}

/** What a text does to the panel: chooses, or belongs to the text that is written (`passed`). */
export function panelText(
  panel: QuestionPanel,
  text: string,
  nowMs: number,
): { readonly panel: QuestionPanel; readonly passed: string } {
  const isEarly = nowMs - panel.sinceMs < chatLimits.questionMs;
  const decision = LETTERS[text.toLowerCase()];
  const isChoice = decision !== undefined && panel.question.decisions.includes(decision);
  if (!isEarly && isChoice && panel.letter === '')
    return { panel: { ...panel, choice: decision, letter: text }, passed: '' };
  return { panel: { ...panel, hasFocus: false, choice: null, letter: '' }, passed: panel.letter + text };
}

/** The next decision to the right or left. */
export function panelMoved(panel: QuestionPanel, way: -1 | 1): QuestionPanel {
  const { decisions } = panel.question;
  const place = panel.choice === null ? (way === 1 ? -1 : 0) : decisions.indexOf(panel.choice);
  const next = decisions[(place + way + decisions.length) % decisions.length] ?? null;
  return { ...panel, choice: next, letter: '' };
}
