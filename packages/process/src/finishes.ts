import type { ChildProcess } from 'node:child_process';
import type { Clock } from '@fairlead/base';

/** How a small program ended that was run for its answer. */
export type Finish =
  | { readonly kind: 'ended'; readonly code: number | null }
  | { readonly kind: 'not_started'; readonly reason: string }
  | { readonly kind: 'too_slow' };

/** Waits until a child has ended and its output is read. After `limitMs` the child is killed and not waited for any more. */
export function finishes(child: ChildProcess, limitMs: number, clock: Clock): Promise<Finish> {
  return new Promise((resolve) => {
    const settle = (finish: Finish): void => {
      timer.cancel();
      resolve(finish);
    };
    const timer = clock.setTimer(limitMs, () => {
      child.kill('SIGKILL');
      // Stuck in the kernel, or with a descendant that holds its output, it must not keep the Runner alive either.
      child.stdout?.destroy();
      child.stderr?.destroy();
      child.unref();
      resolve({ kind: 'too_slow' });
    });
    child.on('error', (error) => settle({ kind: 'not_started', reason: error.message }));
    child.on('close', (code) => settle({ kind: 'ended', code }));
  });
}
