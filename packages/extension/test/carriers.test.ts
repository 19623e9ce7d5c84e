import type { TestContext } from 'node:test';
import { hygiene } from '@fairlead/testing';
import type { Extension } from '../src/authoring/extension.ts';
import { jsonCarrier } from '../src/carrier/json-carrier.ts';
import { ThreadCarrier } from '../src/carrier/thread-carrier.ts';
import { WorkerCarrier } from '../src/worker/worker-carrier.ts';
import { carrierContract } from './contract/carrier-contract.ts';

/** The fixture, loaded here; its state is the module's, so each test gets a module of its own. */
async function loaded(module: URL, t: TestContext): Promise<Extension> {
  hygiene(t);
  loads += 1;
  const { default: extension } = (await import(`${module.href}?load=${loads}`)) as { default: Extension };
  return extension;
}
let loads = 0;

carrierContract(
  'in the host’s thread',
  async (module, host, t) => new ThreadCarrier(await loaded(module, t), { host }),
);

carrierContract('behind JSON text', async (module, host, t) =>
  jsonCarrier(await loaded(module, t), { host }),
);

carrierContract('in a worker', (module, host, t) => {
  hygiene(t);
  return WorkerCarrier.start({ module, host });
});
