type Hook = () => unknown;

/** A stand-in for `node:test`'s context, so that a test can see a guard fail without failing itself. */
export function fakeContext(error: Error | null = null) {
  const hooks: Hook[] = [];
  const diagnostics: string[] = [];
  return {
    error,
    diagnostics,
    after(hook: Hook): void {
      hooks.push(hook);
    },
    diagnostic(message: string): void {
      diagnostics.push(message);
    },
    /** Ends the pretended test: runs its hooks as Node does, in the order they were given. */
    async end(): Promise<void> {
      for (const hook of hooks) await hook();
    },
  };
}
