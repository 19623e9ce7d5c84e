import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Bench } from '../harness/bench.ts';
import { launcher } from '../harness/fairlead-host.ts';
import { interleave } from '../harness/interleave.ts';
import { differenceRow } from '../harness/row.ts';
import { timedProcess } from '../harness/timed-process.ts';

const SCRIPT = {
  format: 'fairlead-script-v1',
  scripts: { default: [{ steps: [{ text: 'Hello.' }] }] },
};

/** What `run` may take beyond three times an empty program, in ms. */
const BEYOND_MS = 300;

export const runCold: Bench = {
  name: 'run',
  title: 'fairlead run without a host, from the launcher to its end, with a scripted model',
  async run(context) {
    const state = join(context.folder, 'state');
    await mkdir(state, { mode: 0o700 });
    await writeFile(join(state, 'hello.json'), JSON.stringify(SCRIPT));
    await writeFile(
      join(state, 'fairlead.toml'),
      '[[backends]]\nname = "hello"\ntype = "scripted"\nfile = "hello.json"\n',
    );
    const args = ['run', 'hello', '--state-dir', state];
    const measured = await interleave(
      [
        {
          unit: 'ms',
          round: async () => ({ 'fairlead run': [await timedProcess(context, launcher, args)] }),
        },
        {
          unit: 'ms',
          round: async () => ({ 'node -e 0': [await timedProcess(context, process.execPath, ['-e', '0'])] }),
        },
      ],
      // The first run makes the database and fills the compile cache.
      context.plan(25, 5, 2),
    );
    const { 'fairlead run': run, 'node -e 0': empty } = measured;
    return {
      measurements: Object.values(measured),
      rows: [differenceRow('fairlead run, beyond node -e 0', run, empty, 2 * empty.p50 + BEYOND_MS)],
    };
  },
};
