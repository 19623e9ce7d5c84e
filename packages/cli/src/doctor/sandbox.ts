import { type Finding, ill, well } from './finding.ts';

/** What was seen of bubblewrap. `fault`: why a first try of it failed; null where it works. */
export type SeenSandbox =
  | { readonly kind: 'other_platform' }
  | { readonly kind: 'absent' }
  | { readonly kind: 'found'; readonly path: string; readonly fault: string | null };

/** Whether commands of agents can be held to what their grants say, and what follows where they cannot. */
export function checkSandbox(seen: SeenSandbox): Finding {
  const check = 'sandbox';
  const code = 'sandbox_unavailable';
  const follows =
    'commands of agents run unconfined, and those whose grants limit folders or network are refused';
  switch (seen.kind) {
    case 'found':
      if (seen.fault === null)
        return well(check, `bubblewrap is ${seen.path}: commands of agents see what their grants name`);
      return ill('warn', {
        check,
        what: `bubblewrap is ${seen.path} and does not work (${seen.fault}): ${follows}`,
        code,
        next: 'Allow unprivileged user namespaces: `bwrap --ro-bind / / true` shows what is in the way.',
      });
    case 'absent':
      return ill('warn', {
        check,
        what: `bubblewrap is not installed: ${follows}`,
        code,
        next: 'Install it, as with `apt install bubblewrap`, or leave it so where no agent has a shell.',
      });
    case 'other_platform':
      return ill('warn', {
        check,
        what: `this system has no bubblewrap: ${follows}`,
        code,
        next: 'Nothing can be done here; on Linux it can be installed.',
      });
  }
}
