import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import {
  filesBelow,
  type ProcessSample,
  type ProcessTrees,
  sampleProcess,
  sizeOf,
} from './process-sample.ts';
import { MADE_OF_COMMITS, type RowCensus } from './row-census.ts';
import type { SoakWorld } from './soak-world.ts';
import type { Sample } from './verdict.ts';

/** What an operation takes, with commit, record and place, and any other row: their share of indices and of half-filled pages included. */
const BYTES_AN_OPERATION = 600;
const BYTES_A_ROW = 320;
/** What stands in commits is an operation already; bindings come and go within half a megabyte. */
const NOT_BY_ROW: ReadonlySet<string> = new Set([...MADE_OF_COMMITS, 'records', 'bindings']);
const BYTES_A_TOKEN = 2048;
const LOG_BYTES_AN_ACTION = 16;
/** A probe says something every two seconds. What is older than this says nothing of now. */
const PROBE_AGE_MAX_MS = 30_000;

/** Everything that is measured of a world now. */
export function sampleWorld(
  world: SoakWorld,
  {
    trees,
    census,
    atMs,
  }: { readonly trees: ProcessTrees; readonly census: RowCensus; readonly atMs: number },
): Sample {
  const processes = { host: world.host.ready.pid, runner: world.runner.pid, mcp: world.mcp.pid };
  const values: Record<string, number> = {};
  for (const [name, pid] of Object.entries(processes)) {
    const found = sampleProcess(pid);
    if (found === null) continue;
    for (const figure of Object.keys(found) as (keyof ProcessSample)[])
      values[`${name}.${figure}`] = found[figure];
    const heap = heapOf(world.probeFile(pid));
    if (heap !== null) values[`${name}.heapBytes`] = heap;
  }
  values['tree.processes'] = trees.count(Object.values(processes));
  const { tally, stateDirectory, folder } = world;
  const database = join(stateDirectory, 'fairlead.db');
  const rows = census.count();
  // A host holds every token, 4,096 with those that ended: that is kept on purpose.
  const heap = values['host.heapBytes'];
  if (heap !== undefined) values['host.heapBytes'] = heap - (rows.tables['tokens'] ?? 0) * BYTES_A_TOKEN;
  for (const [table, count] of Object.entries(rows.tables)) if (count > 0) values[`rows.${table}`] = count;
  values['rows.operations'] = rows.everything;
  const others = Object.entries(rows.tables)
    .filter(([table]) => !NOT_BY_ROW.has(table))
    .reduce((sum, [, count]) => sum + count, 0);
  values['database.bytes'] = sizeOf(database);
  values['database.bytesBeyondRows'] =
    sizeOf(database) - rows.everything * BYTES_AN_OPERATION - others * BYTES_A_ROW;
  const { unexplained, missing, tables } = census.compare(rows, tally.kept);
  values['database.unexplainedRows'] = unexplained;
  values['database.missingRows'] = missing;
  for (const [table, count] of Object.entries(tables)) values[`beyond.${table}`] = count;
  values['database.statusRows'] = rows.tables['extension_outputs'] ?? 0;
  values['database.logBytes'] = sizeOf(`${database}-wal`);
  values['state.files'] = filesBelow(stateDirectory).files;
  values['temporary.files'] = filesBelow(world.temporary).files;
  const log = logBytes(join(stateDirectory, 'log')) + logBytes(join(folder, 'far/log'));
  values['log.bytes'] = log;
  values['log.bytesBeyondActions'] = log - tally.total * LOG_BYTES_AN_ACTION;
  values['load.actions'] = tally.total;
  return { atMs, values };
}

/**
 * What the process itself found after it had collected: objects, and buffers that they hold. Null before its first time, and where the last
 * one is too long ago.
 */
export function heapOf(file: string, nowMs: number = Date.now()): number | null {
  try {
    if (nowMs - statSync(file).mtimeMs > PROBE_AGE_MAX_MS) return null;
    const { heapBytes, externalBytes } = JSON.parse(readFileSync(file, 'utf8'));
    return heapBytes + externalBytes;
  } catch {
    return null;
  }
}

function logBytes(folder: string): number {
  return existsSync(folder) ? filesBelow(folder).bytes : 0;
}
