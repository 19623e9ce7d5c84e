/** The token of an `Authorization: Bearer …` header (RFC 6750), or null. Any other scheme, or two values, is null. */
export function bearerToken(header: string | undefined): string | null {
  if (header === undefined || header.length < 8 || header.length > 512) return null;
  if (header.slice(0, 7).toLowerCase() !== 'bearer ') return null;
  const token = header.slice(7).trim();
  return token === '' || /\s/.test(token) ? null : token;
}
