import type { ExtensionRef, Manifest } from '@fairlead/extension/runtime';
import { version } from '@fairlead/extension/runtime';
import { readActive, readOptOuts } from '../activation/active-set.ts';
import { missing } from '../activation/read-missing.ts';
import type { CommandPlace } from './command-answer.ts';
import type { ExtensionsPorts } from './ports.ts';

/** One trouble of an extension, where the session or its agent can meet it. */
interface RowTrouble {
  readonly code: string;
  readonly reason: string;
}

/** One extension as a session sees it. */
export interface ExtensionRow {
  readonly name: string;
  readonly version: string;
  readonly ref: ExtensionRef;
  /** `missing`: switched on, and not installed here. */
  readonly state: 'on' | 'off' | 'missing';
  readonly session: boolean;
  /** Null where no agent answers in this session. */
  readonly agent: boolean | null;
  readonly kinds: readonly string[];
  readonly scopes: readonly string[];
  /** Why it takes no part although it is on, or does not run at all. */
  readonly troubles: readonly RowTrouble[];
}

/** The list of a session. */
export interface ExtensionRows {
  readonly rows: readonly ExtensionRow[];
  /** How many more are missing than the thousand that are listed. */
  readonly more: number;
}

/** Every extension that is installed here or switched on there: those that run in install order, those that do not, the missing. */
export async function extensionRows(
  ports: ExtensionsPorts,
  { session, agent }: CommandPlace,
): Promise<ExtensionRows> {
  const active = await readActive(session);
  const optOuts = agent === undefined ? undefined : await optOutsOf(ports, agent.id);
  const waiting = await ports.waiting(session.root, agent?.id);
  const failures = ports.failures();
  const failed = ports.failed();
  const row = (
    name: string,
    ref: ExtensionRef,
    manifest: Manifest | undefined,
    own: RowTrouble[],
  ): ExtensionRow => {
    const inSession = active.has(name);
    const forAgent = optOuts === undefined ? null : !optOuts.has(name);
    const troubles = [
      ...own,
      ...waiting.filter(({ extension }) => extension === name),
      ...failures.filter(
        (failure) =>
          failure.name === name &&
          (failure.scope === 'install' ||
            failure.scope === 'global' ||
            failure.key === session.root ||
            failure.key === agent?.id),
      ),
    ].map(({ code, reason }) => ({ code, reason }));
    return {
      name,
      version: version(ref),
      ref,
      state: inSession && forAgent !== false ? 'on' : 'off',
      session: inSession,
      agent: forAgent,
      kinds: manifest === undefined ? [] : manifest.hooks.toSorted(),
      scopes: manifest?.scopes ?? [],
      troubles: distinct(troubles),
    };
  };
  const rows = [
    ...ports
      .installed()
      .map(({ name, ref, manifest, notice }) =>
        row(name, ref, manifest, notice === undefined ? [] : [notice]),
      ),
    ...failed.map(({ name, ref, manifest, code, reason }) => row(name, ref, manifest, [{ code, reason }])),
  ];
  const known = new Set(rows.map(({ name }) => name));
  const { extensions, more } = missing(active, known);
  for (const { name, ref } of extensions) rows.push({ ...row(name, ref, undefined, []), state: 'missing' });
  return { rows, more };
}

async function optOutsOf({ agents }: ExtensionsPorts, id: string): Promise<ReadonlySet<string>> {
  // An agent of another peer has its log there.
  if ((await agents.resolve(id)) === null) return new Set();
  return await readOptOuts(await agents.open(id));
}

function distinct(troubles: readonly RowTrouble[]): readonly RowTrouble[] {
  const seen = new Set<string>();
  return troubles.filter(({ code, reason }) => {
    const key = `${code} ${reason}`;
    return seen.has(key) ? false : seen.add(key);
  });
}
