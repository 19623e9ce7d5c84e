/** A moment as people read it, in UTC and without its milliseconds. */
export function timeText(atMs: number): string {
  return new Date(atMs).toISOString().replace(/\.\d+Z$/, 'Z');
}
