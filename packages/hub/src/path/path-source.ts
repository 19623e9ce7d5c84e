import { basename, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Clock } from '@fairlead/base';
import {
  type Carrier,
  type ExtensionRef,
  extensionError,
  type HostSide,
  type Manifest,
  WorkerCarrier,
} from '@fairlead/extension/runtime';
import type { ExtensionSource } from '../install/extension-source.ts';
import { type ExtensionFolder, findExtension } from './extension-folder.ts';
import { folderDigest } from './folder-digest.ts';
import { RelayedHost } from './relayed-host.ts';

export interface PathSourceOptions {
  /** The extension's folder, absolute. */
  readonly folder: string;
  readonly clock: Clock;
  /** What the worker's environment holds, by the extension's name; nothing of the host's is in it. */
  readonly environmentOf?: (name: string) => Readonly<Record<string, string>>;
  /** Name what an ended generation left open, as a warning of its own. Costs time. */
  readonly watch?: boolean;
}

/** One state of a folder, loaded: every generation that it starts runs this very code. */
export interface PathSource extends ExtensionSource, AsyncDisposable {
  readonly ref: Extract<ExtensionRef, { readonly kind: 'path' }>;
  readonly folder: string;
  readonly manifest: Manifest;
  /** The last 64 KiB that the newest generation printed. */
  output(): string;
  /** Ends the worker that was loaded and never started; a started one belongs to whoever started it. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Loads the extension of a folder in a worker of its own: its manifest is read there, and nothing of it is opened. The ref's
 * digest is that of the folder's files as they were loaded. A later generation (after a crash) is started only while the files
 * are still the same: other code needs a reload that somebody asks for. Rejects with the codes of `WorkerCarrier.start`, with
 * `extension_folder_invalid` for what is no folder of an extension, and with `extension_load_failed` for one that changed
 * while it was read.
 */
export async function loadPathSource(options: PathSourceOptions): Promise<PathSource> {
  const place = await findExtension(options.folder);
  const before = await folderDigest(place.folder);
  let first = await startWorker(options, place, {});
  try {
    const { name } = first.carrier.manifest;
    const environment = options.environmentOf?.(name) ?? {};
    if (Object.keys(environment).length > 0) {
      // Whose environment it is stands in the manifest, and a worker's environment is given before it runs.
      await first.carrier.end();
      first = await startWorker(options, place, environment);
    }
    if ((await folderDigest(place.folder)) !== before)
      throw extensionError(
        'extension_load_failed',
        'its files changed while they were loaded; load it again',
      );
    return new LoadedPath(options, place, first, { kind: 'path', name, digest: before });
  } catch (thrown) {
    await first.carrier.end();
    throw thrown;
  }
}

interface Generation {
  readonly carrier: WorkerCarrier;
  readonly relay: RelayedHost;
}

async function startWorker(
  { clock, watch = false }: PathSourceOptions,
  { folder, module }: ExtensionFolder,
  env: Readonly<Record<string, string>>,
): Promise<Generation> {
  const relay = new RelayedHost();
  const name = `extension ${basename(folder)}`;
  const onDeath = (): void => relay.died();
  const carrier = await WorkerCarrier.start({
    module,
    folder: pathToFileURL(`${folder}${sep}`),
    host: relay,
    name,
    env,
    clock,
    watch,
    onDeath,
  });
  return { carrier, relay };
}

class LoadedPath implements PathSource {
  readonly ref: PathSource['ref'];
  readonly tier = 'worker';
  readonly builtin = false;
  readonly folder: string;
  readonly manifest: Manifest;
  readonly #options: PathSourceOptions;
  readonly #place: ExtensionFolder;
  #loaded: Generation | undefined;
  #newest: WorkerCarrier;

  constructor(options: PathSourceOptions, place: ExtensionFolder, first: Generation, ref: PathSource['ref']) {
    this.ref = Object.freeze(ref);
    this.folder = place.folder;
    this.manifest = first.carrier.manifest;
    this.#options = options;
    this.#place = place;
    this.#loaded = first;
    this.#newest = first.carrier;
  }

  async start(host: HostSide, onDeath: () => void): Promise<Carrier> {
    const loaded = this.#loaded;
    this.#loaded = undefined;
    if (loaded?.relay.attach(host, onDeath) === true) return loaded.carrier;
    await loaded?.carrier.end();
    if ((await folderDigest(this.folder)) !== this.ref.digest)
      throw extensionError(
        'extension_load_failed',
        'its files have changed since; reload it to run what is there now',
      );
    const next = await startWorker(
      this.#options,
      this.#place,
      this.#options.environmentOf?.(this.ref.name) ?? {},
    );
    this.#newest = next.carrier;
    if (!next.relay.attach(host, onDeath))
      throw extensionError('extension_crashed', 'right after it was loaded');
    return next.carrier;
  }

  output(): string {
    return this.#newest.output();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const loaded = this.#loaded;
    this.#loaded = undefined;
    await loaded?.carrier.end();
  }
}
