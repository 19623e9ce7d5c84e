// Loaded into the processes that live through a soak: collects every two seconds and says what is left, in a file with the number of the
// process in the folder SOAK_PROBE. Without it nobody could tell a leak from garbage that waits for its collector. A plugin does not get
// the variable, so it is not probed.
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const EVERY_MS = 2_000;
const folder = process.env.SOAK_PROBE;
const { gc } = globalThis;

function probe() {
  gc();
  const { heapUsed, external } = process.memoryUsage();
  const file = join(folder, `${process.pid}.json`);
  writeFileSync(`${file}.new`, JSON.stringify({ heapBytes: heapUsed, externalBytes: external }));
  renameSync(`${file}.new`, file);
}

if (folder !== undefined && gc !== undefined) {
  probe();
  setInterval(probe, EVERY_MS).unref();
}
