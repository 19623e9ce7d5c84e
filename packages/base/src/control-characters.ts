const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/;
const CONTROL_AND_BREAKS =
  /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** True where a text holds a control character other than TAB, LF, CR (U+0000-001F, U+007F-009F). */
export function hasControlCharacter(text: string): boolean {
  return CONTROL.test(text);
}

/** One line that a terminal shows as it stands: every control, line break and direction character becomes a space. */
export function singleLine(text: string): string {
  return text.replace(CONTROL_AND_BREAKS, ' ');
}
