/** A token of ours, whole or cut, anywhere in a text. */
const TOKEN = /fairlead_(pat|runner)_[A-Za-z0-9_-]+/g;
const BEARER = /\b(bearer|basic)\s+[A-Za-z0-9._~+/=-]{8,}/gi;
const BINDING = /wc_pbind_[A-Za-z0-9_-]+/g;

/** The text without what must not stand in a log: tokens, credentials of an Authorization header, binding handles. */
export function redact(text: string): string {
  // Nearly every text is clean; a test for the three beginnings is cheaper than three replacements.
  if (!/fairlead_|wc_pbind_|bearer|basic/i.test(text)) return text;
  return text
    .replace(TOKEN, 'fairlead_$1_[redacted]')
    .replace(BINDING, 'wc_pbind_[redacted]')
    .replace(BEARER, '$1 [redacted]');
}
