/** The end of one author's chain in one database. */
export type Chain = {
  readonly author: string;
  readonly peer: string;
  readonly seq: number;
  readonly hlc: number;
  readonly hash: string;
  /**
   * The last commit that is offered to others: the newest that is applied or changes settings. What comes after it has no
   * standing, and nobody needs it to follow the chain.
   */
  readonly offered: number;
};

/** A state of a database: for each author how many of its commits are there. */
export type Version = { readonly [author: string]: number };
