import { hkdfSync } from 'node:crypto';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FairleadError, type Random } from '@fairlead/base';
import { type DigestKey, digestKey } from '@fairlead/dispatch';

const fileName = 'secret.key';
const keyBytes = 32;

/** The peer-local secret of a state directory, made on first use, mode 0600. Throws `secret_key_invalid`. */
async function readSecretKey(stateDirectory: string, random: Random): Promise<Buffer> {
  const path = join(stateDirectory, fileName);
  const aside = `${path}.${process.pid}`;
  const existing = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw new FairleadError('secret_key_invalid', 'secret.key cannot be read', { cause: error });
  });
  if (existing !== null) {
    if (existing.length !== keyBytes)
      throw new FairleadError('secret_key_invalid', 'secret.key is not a key');
    return existing;
  }
  const key = Buffer.from(random(keyBytes));
  await writeFile(aside, key, { mode: 0o600 });
  await link(aside, path);
  await rm(aside, { force: true });
  return key;
}

/** The key of argument digests, derived so that what seals secrets later never signs anything. */
export async function readDigestKey(stateDirectory: string, random: Random): Promise<DigestKey> {
  const secret = await readSecretKey(stateDirectory, random);
  return digestKey(Buffer.from(hkdfSync('sha256', secret, '', 'fairlead argument digests v1', keyBytes)));
}
