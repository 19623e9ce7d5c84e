/** What a text that wants to be an instruction looks like, by kind. */
type InjectionKind =
  | 'role_marker'
  | 'chat_template_token'
  | 'instruction_override'
  | 'role_hijack'
  | 'system_injection';

export interface InjectionSign {
  readonly kind: InjectionKind;
  /** The sign with 20 characters before and after it. */
  readonly snippet: string;
}

/** No pattern can be made to look long at a text: each is a fixed word with bounded gaps. */
const PATTERNS: Readonly<Record<InjectionKind, RegExp>> = {
  role_marker: /^[ \t]{0,8}(?:system|assistant|user|developer)[ \t]{0,4}:/imu,
  chat_template_token:
    /<\|(?:im_start|im_end|im_sep|system|user|assistant|endoftext|eot_id|start_header_id|end_header_id)\|>|\[\/?INST\]|<<\/?SYS>>|<\/?s>\[INST\]|<start_of_turn>|<end_of_turn>/iu,
  instruction_override:
    /\b(?:ignore|disregard|forget|override)\s{1,4}(?:all\s{1,4}|any\s{1,4}|the\s{1,4}|your\s{1,4}|my\s{1,4}){0,3}(?:previous|prior|above|earlier|preceding|former)\b/iu,
  role_hijack:
    /\byou\s{1,4}are\s{1,4}now\b|\bnew\s{1,4}system\s{1,4}prompt\b|\byour\s{1,4}(?:new|real|true|actual)\s{1,4}(?:role|instructions?|task|purpose)\b/iu,
  system_injection: /<\/?system(?:[ \t][^<>]{0,64})?>|\bsystem\s{1,4}prompt\s{0,4}:/iu,
};

const AROUND = 20;

/** One sign for each kind that is there, in the order of the kinds. */
export function injectionSigns(text: string): readonly InjectionSign[] {
  return Object.entries(PATTERNS).flatMap(([kind, pattern]) => {
    const found = pattern.exec(text);
    if (found === null) return [];
    const snippet = between(text, found.index - AROUND, found.index + found[0].length + AROUND);
    return [{ kind: kind as InjectionKind, snippet }];
  });
}

/** Never half of a character, and nothing that could move a cursor. */
function between(text: string, from: number, to: number): string {
  return text
    .slice(Math.max(0, from), to)
    .toWellFormed()
    .replaceAll('\ufffd', '')
    .replace(/[\p{C}\p{Zl}\p{Zp}]/gu, ' ');
}
