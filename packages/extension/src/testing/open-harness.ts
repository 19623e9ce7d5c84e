import type { Uses } from '../authoring/cap.ts';
import { definitionOf, partsOf } from '../authoring/definition.ts';
import type { Extension } from '../authoring/extension.ts';
import type { ArgsByName } from '../authoring/part.ts';
import type { ScopeKind } from '../authoring/scope.ts';
import type { Carrier } from '../carrier/carrier.ts';
import { jsonCarrier } from '../carrier/json-carrier.ts';
import { ThreadCarrier } from '../carrier/thread-carrier.ts';
import { type Clock, machineClock } from '../clock.ts';
import { extensionError } from '../errors.ts';
import type { JsonObject } from '../json/json.ts';
import { plainJson } from '../json/plain-json.ts';
import { checkExtension } from '../manifest/check-extension.ts';
import type { Shape } from '../schema/schema.ts';
import { type HandleWatch, watchHandles } from '../worker/handle-watch.ts';
import { WorkerCarrier } from '../worker/worker-carrier.ts';
import { fakeClock } from './fake-clock.ts';
import { FakeHost } from './fake-host.ts';
import type { Harness, HarnessOptions } from './harness.ts';
import { OpenInstances } from './open-instances.ts';
import { RunningHarness } from './running-harness.ts';

const START_MS = Date.UTC(2026, 0, 1);

/** Sets a harness up and opens the instances. */
export async function openHarness(
  extension: Extension,
  options: HarnessOptions<Uses, Shape>,
): Promise<Harness<ArgsByName>> {
  const problems = checkExtension(extension);
  if (problems.length > 0)
    throw extensionError(
      problems[0]?.code ?? 'manifest_invalid',
      problems.map(({ message }) => message).join('; '),
    );
  const watch = watchHandles();
  const fake =
    options.carrier === 'worker'
      ? undefined
      : fakeClock(options.nowMs ?? START_MS, (fire) => watch.run(fire));
  const clock: Clock = fake ?? machineClock();
  let instances: OpenInstances | undefined;
  let carrier: Carrier | undefined;
  const host = new FakeHost({
    name: extension.manifest.name,
    caps: (options.caps ?? {}) as Readonly<Record<string, Readonly<Record<string, unknown>>>>,
    entries: options.entries ?? [],
    settings: plainSettings(options.settings),
    agents: options.agents ?? {},
    now: () => clock.wallMs(),
    outside: (piece) => watch.outside(piece),
    changed: (instance) => instances?.changed(instance),
  });
  try {
    const scopes = scopesOf(extension, options.scope);
    carrier = await carrierOf(extension, options, host, clock, watch);
    instances = new OpenInstances(carrier, host);
    await instances.open(scopes, watch);
    return new RunningHarness({ carrier, instances, host, clock, fake, watch });
  } catch (thrown) {
    // What did not open in time may never end either: nobody waits for it.
    void carrier?.end();
    watch.stop();
    throw thrown;
  }
}

function plainSettings(settings: object | undefined): JsonObject {
  const plain = plainJson(settings ?? {});
  if (!plain.ok) throw extensionError('settings_invalid', `settings${plain.path} ${plain.message}`);
  return plain.value as JsonObject;
}

function scopesOf(extension: Extension, scope: ScopeKind | undefined): readonly ScopeKind[] {
  const definition = definitionOf(extension);
  const scopes = definition === undefined ? [] : partsOf(definition).map(([kind]) => kind);
  if (scope === undefined) return scopes;
  if (!scopes.includes(scope))
    throw extensionError('instantiate_failed', `${extension.manifest.name} has no part at scope ${scope}`);
  return [scope];
}

async function carrierOf(
  extension: Extension,
  options: HarnessOptions<Uses, Shape>,
  host: FakeHost,
  clock: Clock,
  watch: HandleWatch,
): Promise<Carrier> {
  switch (options.carrier) {
    case 'worker': {
      if (options.module === undefined)
        throw extensionError(
          'extension_load_failed',
          'a worker needs the option `module`: the URL of the file whose default export the extension is',
        );
      return WorkerCarrier.start({
        module: new URL(options.module),
        host,
        watch: true,
        name: extension.manifest.name,
      });
    }
    case 'json':
      return watch.run(() => jsonCarrier(extension, { host, clock }));
    default:
      return new ThreadCarrier(extension, {
        host,
        clock,
        ...('peer' in options ? { peer: options.peer } : {}),
      });
  }
}
