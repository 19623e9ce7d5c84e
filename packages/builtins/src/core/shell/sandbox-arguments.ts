import { lstat, readlink, realpath } from 'node:fs/promises';
import { dirname } from 'node:path';
import { systemCode, toolFault } from '../../errors.ts';
import { type BubblewrapPlan, covers, isWithheld } from './sandbox-plan.ts';

/** Where programs and their libraries stand. */
const SYSTEM = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/nix/store', '/gnu/store'];

/** What programs read to find names, libraries, certificates and the time zone: nothing of it is secret. */
const ETC = [
  ...['passwd', 'group', 'nsswitch.conf', 'hosts', 'resolv.conf', 'host.conf', 'services', 'protocols'],
  ...['ld.so.cache', 'ld.so.conf', 'ld.so.conf.d', 'alternatives', 'localtime', 'timezone', 'mime.types'],
  ...[
    'ssl/certs',
    'ssl/openssl.cnf',
    'ca-certificates',
    'pki/tls/certs',
    'pki/ca-trust',
    'crypto-policies',
    'os-release',
  ],
];

/** Files of the kernel that are everybody's, whichever namespace they are seen in. */
const KERNEL_KNOBS = [
  '/proc/sys',
  '/proc/sysrq-trigger',
  '/proc/irq',
  '/proc/bus',
  '/proc/acpi',
  '/proc/scsi',
];

/** In a user's own sandbox there are none; root keeps what it takes to work on files of others. */
const ROOT_CAPABILITIES = ['CAP_CHOWN', 'CAP_DAC_OVERRIDE', 'CAP_FOWNER'];

export interface SandboxedCommand {
  readonly plan: BubblewrapPlan;
  /** A real path that the sandbox shows. */
  readonly cwd: string;
  readonly isRoot: boolean;
}

/**
 * The arguments of bubblewrap before the command's own: namespaces, what is seen and what of it may be written, in this order. What it
 * says about itself comes out of descriptor 3. `sandbox_failed` where a granted path has become a link meanwhile.
 */
export async function sandboxArguments({ plan, cwd, isRoot }: SandboxedCommand): Promise<string[]> {
  const { reads, writes, hasNetwork } = plan;
  return [
    ...['--unshare-ipc', '--unshare-pid', '--unshare-uts', '--unshare-cgroup-try'],
    ...(hasNetwork ? [] : ['--unshare-net']),
    ...['--die-with-parent', '--new-session', '--json-status-fd', '3', '--cap-drop', 'ALL'],
    ...(isRoot ? ROOT_CAPABILITIES.flatMap((name) => ['--cap-add', name]) : []),
    ...(reads === undefined
      ? [writes === undefined ? '--bind' : '--ro-bind', '/', '/']
      : await systemArguments()),
    ...['--dev', '/dev', '--proc', '/proc'],
    // What of a fresh /proc root could still write through to the host's kernel: a core pattern is a program that the kernel starts.
    ...KERNEL_KNOBS.flatMap((path) => ['--ro-bind-try', path, path]),
    ...(reads === undefined && writes === undefined ? [] : ['--tmpfs', '/tmp', '--setenv', 'TMPDIR', '/tmp']),
    ...(await grantedArguments(plan)),
    ...['--chdir', cwd, '--'],
  ];
}

/** Whether the sandbox shows a file, by its real path. */
export async function showsProgram({ reads }: BubblewrapPlan, path: string): Promise<boolean> {
  if (reads === undefined) return true;
  const real = await realpath(path).catch(() => path);
  return [...SYSTEM, ...reads].some((folder) => covers(folder, real));
}

async function systemArguments(): Promise<string[]> {
  const folders = await Promise.all(
    SYSTEM.map(async (path) => {
      const found = await lstat(path).catch(() => undefined);
      if (found === undefined) return [];
      return found.isSymbolicLink() ? ['--symlink', await readlink(path), path] : ['--ro-bind', path, path];
    }),
  );
  return [...folders.flat(), ...ETC.flatMap((name) => ['--ro-bind-try', `/etc/${name}`, `/etc/${name}`])];
}

/** Parents before what stands in them: what is mounted later lies on top. */
async function grantedArguments(plan: BubblewrapPlan): Promise<string[]> {
  const { reads, writes, withheld } = plan;
  const isSeen = (path: string) => reads === undefined || reads.some((folder) => covers(folder, path));
  const isWritable = (path: string) => writes === undefined || writes.some((folder) => covers(folder, path));
  const hides = withheld !== undefined && isSeen(withheld.folder);
  const inside = withheld?.but === undefined ? [] : [withheld.but];
  // What may be written is what both lists allow, so that nothing becomes readable by being writable.
  const granted = [...(reads ?? []), ...[...(writes ?? []), ...inside].filter(isSeen)];
  const paths = [...new Set(granted)].filter((path) => !isWithheld(plan, path));
  const mounts = await Promise.all(
    paths.map(async (path) => ({
      path,
      arguments: (await stands(path)) ? [isWritable(path) ? '--bind' : '--ro-bind', path, path] : [],
    })),
  );
  if (hides) {
    for (const path of ancestorsSeen(plan, withheld.folder))
      mounts.push({ path, arguments: [isWritable(path) ? '--bind' : '--ro-bind', path, path] });
    mounts.push({ path: withheld.folder, arguments: ['--tmpfs', withheld.folder] });
  }
  mounts.sort((left, right) => left.path.length - right.path.length);
  return mounts.flatMap((mount) => mount.arguments);
}

/**
 * What stands between a granted folder and the hidden one: each becomes a mount of its own, which nobody can rename. Otherwise the hidden
 * folder would come to light under another name of its parent.
 */
function ancestorsSeen({ reads }: BubblewrapPlan, hidden: string): string[] {
  const ancestors: string[] = [];
  for (let at = dirname(hidden); at !== dirname(at); at = dirname(at)) {
    const isSeen = reads === undefined || reads.some((folder) => folder !== at && covers(folder, at));
    if (isSeen) ancestors.push(at);
  }
  return ancestors;
}

/** A granted path that leads elsewhere by now would bring that into the sandbox. */
async function stands(path: string): Promise<boolean> {
  let real: string;
  try {
    real = await realpath(path);
  } catch (thrown) {
    if (systemCode(thrown) === 'ENOENT') return false;
    throw toolFault('not_started', 'sandbox_failed', systemCode(thrown), { cause: thrown });
  }
  if (real === path) return true;
  throw toolFault('not_started', 'sandbox_failed', 'a granted folder was moved');
}
