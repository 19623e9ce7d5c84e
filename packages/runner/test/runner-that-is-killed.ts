// Started by runner-killed.test.ts, which kills it: a Runner with one plugin, in the folder that is named.
import { systemClock, systemRandom } from '@fairlead/base';
import { startRunner } from '../src/runner.ts';

const [folder = '', configPath = ''] = process.argv.slice(2);
const runner = await startRunner({
  configPath,
  runnerId: 'r1',
  gatewayUrl: 'http://127.0.0.1:9',
  token: 't',
  stateDirectory: folder,
  env: process.env,
  cwd: folder,
  platform: process.platform,
  clock: systemClock(),
  random: systemRandom(),
  log: () => {},
});
await runner.settled;
const listed = await runner.handleRequest({ kind: 'tools_list', provider: 'p' }, 1000);
if (!('payload' in listed) || listed.payload.kind !== 'tools_list') throw new Error('no catalog');
const { provider_instance: instance, tools } = listed.payload;
const call = {
  kind: 'tools_call',
  provider: 'p',
  provider_instance: instance ?? '',
  tool: 'echo',
  observation: tools[0]?.observation ?? '',
  arguments: {},
} as const;
process.stdout.write(`${JSON.stringify(await runner.handleRequest(call, 10_000))}\n`);
