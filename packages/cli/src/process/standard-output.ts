import type { CommandOutput } from '../command-context.ts';

/** The running process's own streams, opened when they are first written to. */
export function standardOutput(): CommandOutput {
  return { stdout: writerTo(() => process.stdout), stderr: writerTo(() => process.stderr) };
}

/** Writes to a stream that may lose its reader (`| head`, a closed terminal): that must not end what a host still has to do. */
function writerTo(stream: () => NodeJS.WriteStream): (text: string) => void {
  let opened: NodeJS.WriteStream | null = null;
  return (text) => {
    opened ??= stream().on('error', () => {});
    opened.write(text);
  };
}
