/** True for the head of a Windows program (it begins with `MZ`). */
export function isWindowsImage(head: Uint8Array): boolean {
  return head[0] === 0x4d && head[1] === 0x5a;
}

/**
 * True for the head of a text that does not say on its first line which program reads it (`#!`). The C library would hand such a
 * file to a shell, and a provider never gets one.
 */
export function isTextWithoutInterpreter(head: Uint8Array): boolean {
  if (head[0] === 0x23 && head[1] === 0x21) return false;
  const newline = head.indexOf(0x0a);
  return !head.subarray(0, newline < 0 ? head.length : newline).includes(0);
}
