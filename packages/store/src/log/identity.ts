import type { SigningKey } from './keys.ts';

/** Who writes: the peer that holds the rights, and the author whose chain this incarnation of the data folder continues. */
export type Identity = {
  readonly peer: SigningKey;
  readonly author: SigningKey;
  /** The peer key's signature over `fairlead author v1`, LF, the author id; base64url. */
  readonly certificate: string;
};
