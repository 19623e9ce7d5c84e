import { UsageError } from '../../usage-error.ts';

const unitMs: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `90d`, `12h` or `30m` in milliseconds. Throws a usage error. */
export function parseLifetime(text: string): number {
  const match = /^(\d{1,6})([mhd])$/.exec(text);
  const unit = unitMs[match?.[2] ?? ''];
  if (match === null || unit === undefined) {
    throw new UsageError('--expires is a number with m, h or d, such as 90d, 12h or 30m.');
  }
  return Number(match[1]) * unit;
}
