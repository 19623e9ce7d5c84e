/**
 * What a back end asked to wait, in milliseconds, or undefined where it asked for nothing that can be read: `retry-after-ms`, else
 * `Retry-After` in seconds or as an HTTP date (RFC 9110 §10.2.3) against the wall clock.
 */
export function retryAfterMs(headers: Headers, wallMs: number): number | undefined {
  const precise = numberIn(headers.get('retry-after-ms'));
  if (precise !== undefined) return Math.round(precise);
  const written = headers.get('retry-after')?.trim() ?? '';
  const secs = numberIn(written);
  if (secs !== undefined) return Math.round(secs * 1000);
  // A date has a name of a month in it; `Date.parse` takes much that does not.
  if (!/^[A-Za-z]{3,9},? .*\d{2}:\d{2}:\d{2}/.test(written)) return undefined;
  const at = Date.parse(written);
  return Number.isNaN(at) ? undefined : Math.max(0, at - wallMs);
}

function numberIn(text: string | null): number | undefined {
  if (text === null || !/^\d{1,12}(\.\d{1,6})?$/.test(text.trim())) return undefined;
  return Number(text);
}
