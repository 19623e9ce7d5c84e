/** Programs that run a command that is an argument, or text, of theirs. */
const LAUNCHERS: ReadonlySet<string> = new Set([
  ...['sh', 'bash', 'dash', 'ash', 'zsh', 'ksh', 'mksh', 'fish', 'csh', 'tcsh', 'pwsh', 'powershell', 'cmd'],
  ...['busybox', 'toybox', 'env', 'xargs', 'parallel', 'sudo', 'doas', 'su', 'runuser', 'chroot', 'ssh'],
  ...[
    'nohup',
    'nice',
    'ionice',
    'chrt',
    'taskset',
    'timeout',
    'time',
    'setsid',
    'stdbuf',
    'unbuffer',
    'script',
  ],
  ...[
    'setpriv',
    'prlimit',
    'capsh',
    'fakeroot',
    'numactl',
    'catchsegv',
    'uv',
    'uvx',
    'npm',
    'pnpm',
    'yarn',
    'pipx',
    'ld.so',
  ],
  ...['unshare', 'nsenter', 'bwrap', 'flock', 'watch', 'strace', 'ltrace', 'gdb', 'start-stop-daemon'],
  ...[
    'systemd-run',
    'eval',
    'exec',
    'command',
    'builtin',
    'source',
    '.',
    'awk',
    'gawk',
    'mawk',
    'nawk',
    'npx',
  ],
]);

/** Programs that run text of theirs only where an argument says so. */
const INTERPRETER =
  /^(?:python|pypy|perl|ruby|node|nodejs|bun|deno|php|lua|luajit|tclsh|rscript|r|julia|guile|osascript)[\d.]*$/;
/** A switch with code in it, alone or among others, with the code behind it or attached; or one that loads code from a name. */
const INLINE =
  /^(?:-[A-Za-z]*[ceEpr].*|-|--(?:eval|print|command|run|import|require|loader|experimental-loader)(?:=.*)?|eval)$/s;
/** What only one of them understands so. */
const PHP_INLINE = /^-[A-Za-z]*[BRF]/;
const FIND_RUNS = /^-(?:exec|execdir|ok|okdir)$/;

/**
 * True for a command that runs another one which its first words do not show. `name` is what `programName` gives. What a script in a
 * file, a build tool or a hook of git starts is not seen here either: a list of what is denied stops the honest command, and a list of
 * what is allowed, or a sandbox, stops the other.
 */
export function isOpaque(name: string, argv: readonly string[]): boolean {
  if (LAUNCHERS.has(name) || /^ld(?:-linux.*|-musl.*)?\.so(?:\.\d+)*$/.test(name)) return true;
  const rest = argv.slice(1);
  if (name.startsWith('php') && rest.some((word) => PHP_INLINE.test(word))) return true;
  if (INTERPRETER.test(name)) return rest.length === 0 || rest.some((word) => INLINE.test(word));
  return name === 'find' && rest.some((word) => FIND_RUNS.test(word));
}

/** The last name of a program, by which a list denies it: wherever it stands and however it is capitalised. */
export function programName(program: string): string {
  const name = program.slice(Math.max(program.lastIndexOf('/'), program.lastIndexOf('\\')) + 1).toLowerCase();
  return name.endsWith('.exe') ? name.slice(0, -4) : name;
}
