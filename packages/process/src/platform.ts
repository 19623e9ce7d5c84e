/** The machine's kind, as a parameter: tables of one platform are tested on another. */
export type Platform = NodeJS.Platform;
