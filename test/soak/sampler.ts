import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import {
  filesBelow,
  type ProcessSample,
  type ProcessTrees,
  sampleProcess,
  sizeOf,
} from './process-sample.ts';
import type { SoakWorld } from './soak-world.ts';
import type { Sample } from './verdict.ts';

/** What a row takes, its share of indices and of half-filled pages included. */
const BYTES_A_ROW = 1024;
const BYTES_A_TOKEN = 2048;
const LOG_BYTES_AN_ACTION = 200;

/** What sessions are made of: each has dozens of rows, all of them kept on purpose. */
const OF_SESSIONS: ReadonlySet<string> = new Set([
  ...['databases', 'chains', 'commits', 'places', 'arrivals', 'stores', 'records', 'latest', 'registers'],
  ...['searched', 'usage', 'wakes', 'turns', 'approvals', 'session_local', 'posted', 'extension_outputs'],
]);

/** Everything that is measured of a world now. */
export function sampleWorld(world: SoakWorld, trees: ProcessTrees, atMs: number): Sample {
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
  const rows = rowsOf(database);
  // A host holds every token, 4,096 with those that ended: that is kept on purpose.
  const heap = values['host.heapBytes'];
  if (heap !== undefined) values['host.heapBytes'] = heap - (rows['tokens'] ?? 0) * BYTES_A_TOKEN;
  const all = Object.values(rows).reduce((sum, count) => sum + count, 0);
  for (const [table, count] of Object.entries(rows)) if (count > 0) values[`rows.${table}`] = count;
  values['database.bytes'] = sizeOf(database);
  values['database.bytesBeyondRows'] = sizeOf(database) - all * BYTES_A_ROW;
  const others = Object.entries(rows).reduce(
    (sum, [table, count]) => (OF_SESSIONS.has(table) ? sum : sum + count),
    0,
  );
  values['database.unexplainedRows'] = others - (rows['bindings'] ?? 0) - tally.invocations - tally.tokens;
  values['database.logBytes'] = sizeOf(`${database}-wal`);
  values['state.files'] = filesBelow(stateDirectory).files;
  values['temporary.files'] = filesBelow(join(folder, 'temporary')).files;
  const log = logBytes(join(stateDirectory, 'log')) + logBytes(join(folder, 'far/log'));
  values['log.bytes'] = log;
  values['log.bytesBeyondActions'] = log - tally.total * LOG_BYTES_AN_ACTION;
  values['load.actions'] = tally.total;
  return { atMs, values };
}

/** What the process itself found after it had collected: objects, and buffers that they hold. Null before its first time. */
function heapOf(file: string): number | null {
  try {
    const { heapBytes, externalBytes } = JSON.parse(readFileSync(file, 'utf8'));
    return heapBytes + externalBytes;
  } catch {
    return null;
  }
}

function logBytes(folder: string): number {
  return existsSync(folder) ? filesBelow(folder).bytes : 0;
}

/** How many rows each table has. Indices for words keep tables of their own, which are no rows of ours. */
function rowsOf(path: string): Readonly<Record<string, number>> {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const tables = database
      .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'")
      .all()
      .map(({ name }) => String(name))
      .filter((name) => !name.startsWith('sqlite_') && !/_(data|idx|content|docsize|config)$/.test(name));
    return Object.fromEntries(
      tables.map((name) => {
        const row = database.prepare(`SELECT count(*) AS count FROM "${name}"`).get();
        return [name, Number(row?.['count'])];
      }),
    );
  } finally {
    database.close();
  }
}
