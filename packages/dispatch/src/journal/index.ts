export { argumentsDigest, type DigestKey, digestKey } from '../arguments-digest.ts';
export { dispatchErrors } from '../errors.ts';
export { Journal } from './journal.ts';
