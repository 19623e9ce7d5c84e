import type { Target } from '../engine/target.ts';

/** Every target, each in the file of its name. */
export const targetNames: readonly string[] = [
  'json-scanner',
  'frame-decoder',
  'schema-profile',
  'extension-schema',
  'runner-toml',
  'host-toml',
  'skill-text',
  'plugin-add',
  'mcp-http',
  'mcp-stdio',
  'link-frames',
  'commits',
  'replication',
  'command-line',
  'host-commands',
  'grant-matcher',
  'cron-pattern',
  'manifest',
  'worker-frames',
];

/** A target with the URL of its module, from which a thread loads it again. */
export type LoadedTarget = { readonly target: Target; readonly module: string };

export async function loadTarget(name: string): Promise<LoadedTarget> {
  const module = new URL(`./${name}.ts`, import.meta.url).href;
  const { target } = (await import(module)) as { readonly target: Target };
  return { target, module };
}
