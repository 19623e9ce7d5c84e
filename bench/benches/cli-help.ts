import type { Bench } from '../harness/bench.ts';
import { launcher } from '../harness/fairlead-host.ts';
import { interleave } from '../harness/interleave.ts';
import { ratioRow } from '../harness/row.ts';
import { timedProcess } from '../harness/timed-process.ts';

export const cliHelp: Bench = {
  name: 'help',
  title: 'the command line from start to end, once it is installed',
  async run(context) {
    const measured = await interleave(
      [
        {
          unit: 'ms',
          round: async () => ({ 'fairlead --help': [await timedProcess(context, launcher, ['--help'])] }),
        },
        {
          unit: 'ms',
          round: async () => ({ 'node -e 0': [await timedProcess(context, process.execPath, ['-e', '0'])] }),
        },
      ],
      // The first run installs and fills the compile cache; the goal is about the second.
      context.plan(25, 5, 2),
    );
    return {
      measurements: Object.values(measured),
      rows: [
        ratioRow('fairlead --help against node -e 0', measured['fairlead --help'], measured['node -e 0'], 3),
      ],
    };
  },
};
