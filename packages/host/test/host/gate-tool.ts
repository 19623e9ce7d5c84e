import { defineExtension, type Extension } from '@fairlead/extension';

/** A tool that waits until it is let through, or cancelled. */
export interface GateTool {
  readonly extension: Extension;
  /** Resolves when it is called. */
  readonly entered: Promise<void>;
  open(): void;
  /** How often it was called. */
  readonly calls: number;
}

/** `pass` of the extension `gate`. */
export function gateTool(): GateTool {
  const opened = Promise.withResolvers<void>();
  const entered = Promise.withResolvers<void>();
  let calls = 0;
  const extension = defineExtension({
    name: 'gate',
    version: '1.0.0',
    tools: {
      pass: {
        about: 'Waits at the gate.',
        args: {},
        async run(_args, { signal }) {
          calls += 1;
          entered.resolve();
          const gone = Promise.withResolvers<never>();
          signal.addEventListener('abort', () => gone.reject(new Error('gone')), { once: true });
          await Promise.race([opened.promise, gone.promise]);
          return 'passed';
        },
      },
    },
  });
  return {
    extension,
    entered: entered.promise,
    open: () => opened.resolve(),
    get calls() {
      return calls;
    },
  };
}

/** A turn of a script that calls it, and says so. */
export const passTurn = { steps: [{ calls: [{ tool: 'pass', arguments: {} }] }, { text: 'Done.' }] };
/** A turn of a script of one text. */
export const sayTurn = (text: string) => ({ steps: [{ text }] });
/** `[policy]` under which nobody is asked. */
export const ALLOWED = { auto_approve: ['*'] };
