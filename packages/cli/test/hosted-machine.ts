import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext as NodeTest } from 'node:test';
import { hygiene, temporaryFolder } from '@fairlead/testing';
import { main } from '../src/index.ts';
import { writeServerFile } from '../src/state/server-file.ts';
import { holdFolder } from './held-folder.ts';
import { hostAt } from './host-in-file.ts';
import { testContext } from './test-context.ts';

/** A machine on which commands are typed; `host` puts a host on it that others play. */
export function hostedMachine(t: NodeTest, options: NonNullable<Parameters<typeof testContext>[1]> = {}) {
  hygiene(t);
  const folder = temporaryFolder(t);
  const state = join(folder, 'state');
  const { env, ...others } = options;
  const context = testContext(folder, { ...others, env: { FAIRLEAD_STATE_DIR: state, ...env } });
  const run = async (...args: string[]) => {
    context.printed.stdout = '';
    context.printed.stderr = '';
    const exit = await main(args, { cloneRoot: context.cloneRoot, context });
    return { exit, ...context.printed };
  };
  const host = async (url: string, started: Parameters<typeof hostAt>[1] = {}) => {
    mkdirSync(state, { recursive: true });
    writeFileSync(join(state, 'operator.token'), 'fairlead_pat_operator\n');
    await holdFolder(t, state);
    await writeServerFile(state, hostAt(url, started));
  };
  return { folder, state, context, run, host };
}
