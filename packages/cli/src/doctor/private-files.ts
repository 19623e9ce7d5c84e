import { type Finding, ill, well } from './finding.ts';
import { octal } from './state-directory.ts';

/** A file that holds a secret. */
export type PrivateFile = { readonly path: string; readonly mode: number };

/** Whether anybody but their owner may read the files that hold tokens and keys. */
export function checkPrivateFiles(files: readonly PrivateFile[]): Finding[] {
  const check = 'secrets';
  const open = files.filter(({ mode }) => (mode & 0o077) !== 0);
  if (open.length === 0) {
    const what =
      files.length === 0 ? 'there is no token file yet' : 'token files are readable by their owner alone';
    return [well(check, what)];
  }
  return open.map(({ path, mode }) =>
    ill('fail', {
      check,
      what: `${path} can be read by other users (mode ${octal(mode)})`,
      code: 'token_file_readable',
      next: `chmod 600 ${path}; where somebody else may have read it, revoke the token and make a new one.`,
    }),
  );
}
