import type { CommandContext } from '../command-context.ts';

/** Carries out what was asked for; the promise that `command` gives is of the exit status. */
export type Execute = (command: (context: CommandContext) => Promise<number>) => void | Promise<void>;
