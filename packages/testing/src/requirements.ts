import { spawnSync } from 'node:child_process';

/** Programs of the machine that some tests need and a plain clone does not have. */
export type Requirement =
  | 'bubblewrap'
  | 'busybox'
  | 'curl'
  | 'dash'
  | 'git'
  | 'powershell'
  | 'ps'
  | 'python3'
  | 'registry'
  | 'setsid'
  | 'strace'
  | 'tmux';

/** What shows that the program is there and may be used: it ends with 0. */
const PROOFS: Readonly<Record<Requirement, readonly [string, ...string[]]>> = Object.freeze({
  bubblewrap: [
    'bwrap',
    '--dev-bind',
    '/',
    '/',
    '--unshare-pid',
    '--proc',
    '/proc',
    '--die-with-parent',
    'true',
  ],
  busybox: ['busybox', 'sh', '-c', ':'],
  curl: ['curl', '--version'],
  dash: ['dash', '-c', ':'],
  git: ['git', '--version'],
  powershell: ['pwsh', '-NoProfile', '-Command', 'exit 0'],
  ps: ['ps', '-p', '1'],
  python3: ['python3', '-c', ''],
  // npm, and a package registry that it reaches.
  registry: ['npm', 'view', 'typescript@5.4.5', 'version', '--fetch-retries=0'],
  setsid: ['setsid', 'true'],
  // It may be there and not be permitted.
  strace: ['strace', '-o', '/dev/null', 'true'],
  tmux: ['tmux', '-V'],
});

/**
 * For a test's `skip` option: false when the program works here, else the reason, which names it. Under
 * `FAIRLEAD_TEST_REQUIRE_ALL=1` it throws instead, so that a skip fails the run.
 */
export function requires(name: Requirement): false | string {
  const [command, ...args] = PROOFS[name];
  const proof = spawnSync(command, args, { stdio: 'ignore', timeout: 20_000 });
  if (proof.status === 0) return false;
  const reason = `needs ${name}, which ${proof.error === undefined ? 'is not permitted' : 'is not installed'} here`;
  if (process.env['FAIRLEAD_TEST_REQUIRE_ALL'] === '1') throw new Error(reason);
  return reason;
}
