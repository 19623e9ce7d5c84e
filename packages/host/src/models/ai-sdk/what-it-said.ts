import { singleLine } from '@fairlead/base';
import { modelLimits } from '../../limits.ts';

/** What looks like a key: known beginnings, a bearer, and long runs that mix capitals, small letters and digits. */
const KEYS = [
  /\b(?:Bearer|Basic)\s+[A-Za-z0-9+/=._~-]+/gi,
  /\b(?:sk|pk|rk|key|gsk|xai|hf|AKIA|AIza|ghp|gho|xox[a-z]|eyJ)[-_]?(?=[A-Za-z_.-]*\d)[A-Za-z0-9_.-]{8,}/g,
  /\b(?=[A-Za-z0-9_-]*[A-Z])(?=[A-Za-z0-9_-]*[a-z])(?=[A-Za-z0-9_-]*\d)[A-Za-z0-9_-]{24,}/g,
];

/**
 * The words of an error, where a body has them in the usual place: `error.message`, `error` or `message` of a JSON object. One line, at most
 * 200 UTF-16 units, without `secret` and without what looks like a key. Undefined where there are none: a page of HTML says nothing.
 */
export function whatItSaid(body: string, secret: string | undefined): string | undefined {
  const words = wordsIn(body);
  return words === undefined ? undefined : safeWords(words, secret);
}

/** Foreign words, made safe to show. */
export function safeWords(words: string, secret: string | undefined): string | undefined {
  let text = words.slice(0, modelLimits.said * 8).toWellFormed();
  if (secret !== undefined && secret !== '') text = text.replaceAll(secret, '[key]');
  for (const pattern of KEYS) text = text.replaceAll(pattern, '[key]');
  text = singleLine(text).replaceAll(/\s+/g, ' ').trim();
  if (text.length > modelLimits.said) text = `${text.slice(0, modelLimits.said - 1).toWellFormed()}…`;
  return text === '' ? undefined : text;
}

function wordsIn(body: string): string | undefined {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return undefined;
  }
  const error = member(value, 'error');
  const words = member(error, 'message') ?? error ?? member(value, 'message');
  return typeof words === 'string' ? words : undefined;
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}
