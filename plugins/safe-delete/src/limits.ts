/** How long one back end may take, in milliseconds: two of them in turn still end within a call's usual 30 s. */
export const BACKEND_TIMEOUT_MS = 10_000;

/** The longest path that is taken, in characters. Linux takes no longer one in one piece. */
export const PATH_MAX_CHARACTERS = 4_096;

/** The longest error code. Room for codes to come: a result's shape outlives its codes. */
export const ERROR_CODE_MAX_CHARACTERS = 128;

/** The longest file name, in bytes, that the file systems of Linux take. */
export const FILE_NAME_MAX_BYTES = 255;

/** How many numbered names are tried in the trash, before a random one: each try costs a few system calls. */
export const NUMBERED_NAMES = 64;

/** How many random names are tried after those. One of 64 random bits is enough unless something is broken. */
export const RANDOM_NAMES = 4;
