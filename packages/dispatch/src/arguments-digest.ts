import { createHash, createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { runnerInTarget } from './runner-in-target.ts';

/** The peer-local key of digests. */
export type DigestKey = KeyObject;

/** Makes a key of at least 32 random bytes usable. */
export function digestKey(bytes: Uint8Array): DigestKey {
  return createSecretKey(bytes);
}

/**
 * The name of one observation of a native tool: `plugin:<runner>/<plugin>/<tool>#` and 16 base64url characters of SHA-256
 * over runner instance, provider instance and observation, a line feed between them. A fresh binding of the same observation has
 * the same target; after a restart or reload it is another.
 */
export function pluginTarget(observed: {
  readonly runner: string;
  readonly runnerInstance: string;
  readonly plugin: string;
  readonly providerInstance: string;
  readonly tool: string;
  readonly observation: string;
}): string {
  const { runner, runnerInstance, plugin, providerInstance, tool, observation } = observed;
  const instance = createHash('sha256')
    .update(`${runnerInstance}\n${providerInstance}\n${observation}`)
    .digest('base64url')
    .slice(0, 16);
  return `plugin:${runnerInTarget(runner)}/${plugin}/${tool}#${instance}`;
}

/**
 * Tells two calls apart without telling what they say: HMAC-SHA-256, base64url, of `fairlead call v1`, the target and the
 * canonical JSON of the arguments, a line feed between them. Keyed, because a plain digest of short arguments can be guessed.
 */
export function argumentsDigest(key: DigestKey, target: string, canonicalArguments: string): string {
  return createHmac('sha256', key)
    .update(`fairlead call v1\n${target}\n${canonicalArguments}`)
    .digest('base64url');
}
