/** How long one bench took, whatever it had to prepare included. */
export type Duration = { readonly bench: string; readonly seconds: number };

export function secondsOf(durations: readonly Duration[]): number {
  return durations.reduce((sum, { seconds }) => sum + seconds, 0);
}

/** `45 s`, or `3 min 20 s`. */
export function durationText(seconds: number): string {
  const whole = Math.round(seconds);
  return whole < 120 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}
