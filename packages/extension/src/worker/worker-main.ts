// The program of a worker: it loads one extension and serves it over the port. Loaded anywhere else it does nothing.
import * as modules from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';
import { isExtension } from '../authoring/definition.ts';
import type { Extension } from '../authoring/extension.ts';
import { frameText, type GuestFrame } from '../carrier/frames.ts';
import { serveGuest } from '../carrier/serve-guest.ts';
import { machineClock } from '../clock.ts';
import { cutLine, thrownText } from '../contracts/text.ts';
import { extensionError, extensionErrors } from '../errors.ts';
import { outputLimits, workerLimits } from '../limits.ts';
import { checkExtension } from '../manifest/check-extension.ts';
import { type HandleWatch, watchHandles } from './handle-watch.ts';
import { loadFailureText } from './thrown-place.ts';
import { isWorkOrder, type WorkOrder } from './work-order.ts';

type Port = NonNullable<typeof parentPort>;

if (parentPort !== null && isWorkOrder(workerData)) await serve(parentPort, workerData);

async function serve(port: Port, order: WorkOrder): Promise<void> {
  const post = (frame: GuestFrame): void => {
    const text = frameText(frame);
    if (text !== undefined) port.postMessage(text);
  };
  const fail = (code: string, message: string): void => {
    post({ frame: 'failed', code, message });
    port.close();
  };
  resolveOwnCopy(order);
  reportRejections(post);
  const watch = order.watch ? watchHandles({ everything: true }) : undefined;
  let loaded: { readonly default?: unknown };
  try {
    loaded = await import(order.module);
  } catch (thrown) {
    return fail(loadCode(thrown), loadFailureText(thrown, order.folder));
  }
  if (!isExtension(loaded.default))
    return fail('extension_not_defined', extensionErrors.extension_not_defined.message);
  const wrong = problemOf(loaded.default);
  if (wrong !== undefined) return fail(wrong.code, wrong.message);
  const guest = serveGuest(
    loaded.default,
    { post: (text) => port.postMessage(text) },
    { clock: machineClock(), stopped: () => void stop(port, post, watch) },
  );
  port.on('message', (text: unknown) => guest.receive(text));
}

/** Says what is left open, and ends: a timer or a socket that nobody owns must not keep the thread. */
async function stop(
  port: Port,
  post: (frame: GuestFrame) => void,
  watch: HandleWatch | undefined,
): Promise<void> {
  const left = (await watch?.left()) ?? [];
  if (left.length > 0)
    post({
      frame: 'log',
      level: 'warn',
      message: `left open: ${left.join(', ')}`,
      data: { left_open: left },
    });
  port.close();
  process.exit(0);
}

/** Where Node cannot hook its resolver (before 22.15) the module finds the copy that its author installed. */
function resolveOwnCopy({ root, suffix }: WorkOrder): void {
  if (!('registerHooks' in modules)) return;
  const OWN = /^@fairlead\/extension(?:\/(builtin|testing|runtime))?$/;
  modules.registerHooks({
    resolve(specifier, context, next) {
      const own = OWN.exec(specifier);
      if (own === null) return next(specifier, context);
      const path = own[1] === undefined ? `index${suffix}` : `${own[1]}/index${suffix}`;
      return { url: new URL(path, root).href, shortCircuit: true };
    },
  });
}

/** A promise that nobody waits for is told and ends nothing; ten in a minute say that the code is out of order. */
function reportRejections(post: (frame: GuestFrame) => void): void {
  let times: number[] = [];
  process.on('unhandledRejection', (reason) => {
    const now = performance.now();
    times = [...times.filter((time) => now - time < workerLimits.rejectionWindowMs), now];
    const message = `a promise was rejected and nobody handled it: ${thrownText(reason, outputLimits.maxFaultMessage)}`;
    post({ frame: 'log', level: 'warn', message });
    if (times.length >= workerLimits.maxRejections)
      throw new Error(`${workerLimits.maxRejections} rejections that nobody handled within a minute`);
  });
}

/** What the manifest does not show is looked at where the code is: a gate that is spelt wrongly is no gate. */
function problemOf(extension: Extension): { readonly code: string; readonly message: string } | undefined {
  try {
    const problems = checkExtension(extension);
    const [first] = problems;
    if (first === undefined) return undefined;
    const told = first.code === 'manifest_invalid' ? problems : [first];
    const texts = told.map(({ message }) => message).join('; ');
    return extensionError(first.code, cutLine(texts, workerLimits.maxProblems / 2));
  } catch (thrown) {
    // Another copy of the package may have taken what no literal of ours can be.
    return extensionError('manifest_invalid', thrownText(thrown, outputLimits.maxFaultMessage));
  }
}

function loadCode(thrown: unknown): 'typescript_unsupported' | 'extension_load_failed' {
  const code = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined;
  return code === 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX' ? 'typescript_unsupported' : 'extension_load_failed';
}
