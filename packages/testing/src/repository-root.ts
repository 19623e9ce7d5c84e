import { resolve } from 'node:path';

/** The absolute path of the clone these tests stand in, without a trailing slash. */
export const repositoryRoot: string = resolve(import.meta.dirname, '../../..');
