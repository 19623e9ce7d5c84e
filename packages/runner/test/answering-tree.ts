import { Writable } from 'node:stream';
import type { JsonObject } from '@fairlead/base';
import type { ProcessTree } from '@fairlead/process';
import { injectedTree } from './injected-tree.ts';

/** A process tree without a process that is admitted at once with these tools. `closesStdout` ends it. */
export function answeringTree(
  tools: readonly JsonObject[] = [{ name: 't', inputSchema: { type: 'object' } }],
): ProcessTree & { closesStdout(): void } {
  const tree = injectedTree();
  const stdin = new Writable({
    write(chunk: Buffer, _encoding, done) {
      done();
      const { id, method } = JSON.parse(chunk.toString()) as { id: number; method: string };
      const result = method === 'initialize' ? { protocolVersion: 'webcodex-plugin-v1' } : { tools };
      tree.says(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`);
    },
  });
  const { pid, stdout, stderr, exited, end, closesStdout } = tree;
  return { pid, stdin, stdout, stderr, exited, end, closesStdout };
}
