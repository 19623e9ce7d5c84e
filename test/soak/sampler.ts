import { existsSync } from 'node:fs';
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
const LOG_BYTES_AN_ACTION = 200;

/** Everything that is measured of a world now. */
export function sampleWorld(world: SoakWorld, trees: ProcessTrees, atMs: number): Sample {
  const processes = { host: world.host.ready.pid, runner: world.runner.pid, mcp: world.mcp.pid };
  const values: Record<string, number> = {};
  for (const [name, pid] of Object.entries(processes)) {
    const found = sampleProcess(pid);
    if (found === null) continue;
    for (const figure of Object.keys(found) as (keyof ProcessSample)[])
      values[`${name}.${figure}`] = found[figure];
  }
  values['tree.processes'] = trees.count(Object.values(processes));
  const { tally, stateDirectory, folder } = world;
  const database = join(stateDirectory, 'fairlead.db');
  const rows = rowsOf(database);
  const all = Object.values(rows).reduce((sum, count) => sum + count, 0);
  for (const [table, count] of Object.entries(rows)) if (count > 0) values[`rows.${table}`] = count;
  values['database.bytes'] = sizeOf(database);
  values['database.bytesBeyondRows'] = sizeOf(database) - all * BYTES_A_ROW;
  values['database.unexplainedRows'] = all - (rows['bindings'] ?? 0) - tally.invocations - tally.tokens;
  values['database.logBytes'] = sizeOf(`${database}-wal`);
  values['state.files'] = filesBelow(stateDirectory).files;
  values['temporary.files'] = filesBelow(join(folder, 'temporary')).files;
  const log = logBytes(join(stateDirectory, 'log')) + logBytes(join(folder, 'far/log'));
  values['log.bytes'] = log;
  values['log.bytesBeyondActions'] = log - tally.total * LOG_BYTES_AN_ACTION;
  values['load.actions'] = tally.total;
  return { atMs, values };
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
