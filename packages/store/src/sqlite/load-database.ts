import type { Chain } from '../log/chain.ts';
import type { StoredDatabase } from '../log/database-state.ts';
import { clockAt, reachOf } from '../log/hybrid-clock.ts';
import { databaseKind } from '../log/names.ts';
import type { SettingsCommit } from '../rights/rights.ts';
import { opsOf } from './commit-rows.ts';
import type { PreparedStatements } from './prepared.ts';
import { RowIds } from './row-ids.ts';

const DATABASE = 'SELECT id, kind, newer FROM databases WHERE root = ? AND dropped = 0';
const IN_CHAIN = 'FROM places AS l CROSS JOIN commits AS c ON c.n = l.n WHERE l.chain = ?';
const CHAINS = 'SELECT id, author, peer FROM chains WHERE db = ?';
const HEAD = `SELECT c.seq, c.hlc, c.hash, c.state, c.level ${IN_CHAIN} ORDER BY l.seq DESC LIMIT 1`;
const OFFERED = `SELECT c.seq ${IN_CHAIN} AND (c.state = 1 OR c.level = 3) ORDER BY l.seq DESC LIMIT 1`;
const BELOW = `SELECT c.hlc ${IN_CHAIN} AND c.hlc <= ? ORDER BY l.seq DESC LIMIT 1`;
const DENIED = 'SELECT count(*) AS denied FROM commits WHERE chain = ? AND state = 0';
const SETTINGS = `SELECT seq, hlc, ops, settings_chain IS NULL AS genesis FROM commits
  WHERE chain = ? AND level = 3 ORDER BY seq`;

/** Reads what a database's state in memory begins with: a handful of look-ups for each author, however long the log is. */
export function loadDatabase(
  prepared: PreparedStatements,
  root: string,
  wallMs: number,
): StoredDatabase | undefined {
  const found = prepared.get(DATABASE).get(root);
  const kind = databaseKind(found?.['kind']);
  if (found === undefined || kind === null) return undefined;
  const rows = new RowIds();
  rows.database = Number(found['id']);
  const chains: Chain[] = [];
  const settings: SettingsCommit[] = [];
  let observed = 0;
  let denied = 0;
  for (const row of prepared.get(CHAINS).all(rows.database)) {
    const id = Number(row['id']);
    const author = String(row['author']);
    const peer = String(row['peer']);
    rows.chains.set(author, id);
    const head = prepared.get(HEAD).get(id);
    if (head === undefined) continue;
    const hlc = Number(head['hlc']);
    chains.push({
      author,
      peer,
      hlc,
      seq: Number(head['seq']),
      hash: String(head['hash']),
      offered: offeredOf(prepared, id, head),
    });
    const reach = reachOf(clockAt(wallMs));
    const below = hlc <= reach ? hlc : Number(prepared.get(BELOW).get(id, reach)?.['hlc'] ?? 0);
    observed = Math.max(observed, below);
    denied += Number(prepared.get(DENIED).get(id)?.['denied']);
    for (const change of prepared.get(SETTINGS).all(id)) settings.push(settingsOf(author, peer, change));
  }
  return { kind, newer: found['newer'] === 1, chains, settings, observed, denied, rows };
}

function offeredOf(prepared: PreparedStatements, chain: number, head: Record<string, unknown>): number {
  if (head['state'] === 1 || head['level'] === 3) return Number(head['seq']);
  return Number(prepared.get(OFFERED).get(chain)?.['seq'] ?? 0);
}

function settingsOf(author: string, peer: string, row: Record<string, unknown>): SettingsCommit {
  const changes = opsOf(row['ops']).flatMap(({ settings }) => (settings === null ? [] : [settings]));
  const position = { hlc: Number(row['hlc']), author, seq: Number(row['seq']) };
  return { ...position, peer, changes, isGenesis: row['genesis'] === 1 };
}
