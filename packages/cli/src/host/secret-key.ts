import { hkdfSync } from 'node:crypto';
import { join } from 'node:path';
import type { Random } from '@fairlead/base';
import { type DigestKey, digestKey } from '@fairlead/dispatch/journal';
import { cliError } from '../cli-error.ts';
import { createPrivateFile } from '../state/private-file.ts';
import { readBounded } from '../state/read-bounded.ts';

const fileName = 'secret.key';
const keyBytes = 32;

/**
 * The key of argument digests, derived from the state directory's secret (`secret.key`, 0600, made on first use) so that
 * what seals secrets later never signs anything. Throws `secret_key_invalid`, `state_directory_unwritable`.
 */
export async function readDigestKey(stateDirectory: string, random: Random): Promise<DigestKey> {
  const secret = await readStateSecret(stateDirectory, random);
  return digestKey(Buffer.from(hkdfSync('sha256', secret, '', 'fairlead argument digests v1', keyBytes)));
}

/** The state directory's secret, from which every key is derived. Throws the same codes. */
export function readStateSecret(stateDirectory: string, random: Random): Promise<Buffer> {
  return readSecretKey(join(stateDirectory, fileName), random);
}

async function readSecretKey(path: string, random: Random): Promise<Buffer> {
  const existing = await readBounded(path, keyBytes).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') return null;
    throw cliError('secret_key_invalid', { detail: { reason: cause.code ?? 'unknown' }, cause });
  });
  if (existing !== null) {
    if (existing.length === keyBytes) return existing;
    throw cliError('secret_key_invalid', { detail: { reason: `it is not ${keyBytes} bytes` } });
  }
  const key = Buffer.from(random(keyBytes));
  await createPrivateFile(path, key);
  return key;
}
