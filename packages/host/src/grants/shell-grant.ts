import type { CommandPrefix, ShellGrant } from './grants.ts';
import { isOpaque, programName } from './opaque-command.ts';
import { narrower } from './prefix-lists.ts';

/** True where the words may run. `argv` has at least one word; a command that needs a shell is `['sh', '-c', text]`. */
export function allowsCommand(grant: ShellGrant | undefined, argv: readonly string[]): boolean {
  const { allow, deny = [] } = grant ?? {};
  const program = argv[0];
  if (program === undefined || program === '') return false;
  if (deny.length > 0) {
    const called = programName(program);
    if (isOpaque(called, argv)) return false;
    if (deny.some((prefix) => denies(prefix, called, argv))) return false;
  }
  return allow === undefined || allow.some((prefix) => beginsWith(prefix, argv));
}

/** Both grants in force at once. */
export function bothShell(
  left: ShellGrant | undefined,
  right: ShellGrant | undefined,
): ShellGrant | undefined {
  if (left === undefined) return right;
  if (right === undefined) return left;
  const allow = narrower(left.allow, right.allow, beginsWith);
  const deny = [...(left.deny ?? []), ...(right.deny ?? [])];
  const once = deny.filter((prefix, index) => deny.findIndex((other) => sameWords(other, prefix)) === index);
  return {
    ...(allow === undefined ? {} : { allow }),
    ...(once.length === 0 ? {} : { deny: once }),
  };
}

/** An allowed program is the word as it stands: `git` is what the path finds, not any file that is called so. */
function beginsWith(prefix: CommandPrefix, argv: readonly string[]): boolean {
  return prefix.length <= argv.length && prefix.every((word, index) => word === argv[index]);
}

/** A denied program is denied by its last name, wherever it stands and however that is capitalised. */
function denies([program = '', ...rest]: CommandPrefix, called: string, argv: readonly string[]): boolean {
  return (
    programName(program) === called &&
    rest.length < argv.length &&
    rest.every((word, index) => word === argv[index + 1])
  );
}

function sameWords(left: CommandPrefix, right: CommandPrefix): boolean {
  return left.length === right.length && left.every((word, index) => word === right[index]);
}
