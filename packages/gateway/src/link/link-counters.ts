/** What happened on the Runner links since the start. */
export type LinkCounters = {
  /** Frames that answered nothing: late, repeated or never asked for. */
  strayFrames: number;
};

export function newLinkCounters(): LinkCounters {
  return { strayFrames: 0 };
}
