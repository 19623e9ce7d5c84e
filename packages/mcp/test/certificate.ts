import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { temporaryFolder } from '@fairlead/testing';

export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

/** Why a test that wants one is skipped; false where it can be made. */
export const NO_CERTIFICATE: string | false = (() => {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' });
    return false;
  } catch {
    return 'no openssl';
  }
})();

/** A certificate for 127.0.0.1 that nobody vouches for. */
export function certificate(t: TestContext): Certificate {
  const folder = temporaryFolder(t);
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const names = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const made = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-keyout', key, '-out', cert];
  execFileSync('openssl', ['req', '-x509', '-nodes', '-days', '1', ...made, ...names], { stdio: 'ignore' });
  return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
}

/** One that is trusted until the test ends. */
export function trustedCertificate(t: TestContext): Certificate {
  const made = certificate(t);
  const before = getCACertificates('default');
  t.after(() => setDefaultCACertificates(before));
  setDefaultCACertificates([...before, made.cert]);
  return made;
}
