import { glob, readFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { importsOf } from './floors.ts';

/** One import between two rooms of a package: who imports, and what. */
type Passage = { readonly from: string; readonly to: string };

/** The rooms of one package and one passage from each to each other that it imports from. */
type Plan = Map<string, Map<string, Passage>>;

/**
 * Circles that stand, by package: the rooms among which they are. None may be added; each stands for a move that touches
 * most of its package.
 */
export const standing: Readonly<Record<string, readonly string[]>> = {
  extension: ['authoring', 'carrier', 'contracts', 'guest', 'json', 'limits.ts', 'manifest'],
  'plugin-conformance': ['plugin', 'report'],
  store: ['log', 'rights'],
};

/**
 * Reads the sources of every package and returns one sentence per circle of folders: within a package, too, imports go one way,
 * so that each folder can be read after those it stands on. A file that lies beside the folders is a room of its own: it may
 * hold what all of them need, or put them together; files alone may need each other, as types do.
 */
export async function checkFolders(root: string, allowed = standing): Promise<string[]> {
  const packages = new Map<string, Plan>();
  for await (const path of glob('packages/*/src/**/*.ts', { cwd: root })) {
    const [, name = ''] = path.split(sep);
    const source = join('packages', name, 'src');
    const from = relative(source, path);
    const text = await readFile(join(root, path), 'utf8');
    const plan: Plan = packages.get(name) ?? new Map();
    packages.set(name, plan);
    for (const specifier of importsOf(text)) {
      if (!specifier.startsWith('.')) continue;
      const to = relative(source, join(dirname(path), specifier));
      if (to.startsWith('..') || roomOf(from) === roomOf(to)) continue;
      const passages = plan.get(roomOf(from)) ?? new Map<string, Passage>();
      plan.set(roomOf(from), passages);
      if (!passages.has(roomOf(to))) passages.set(roomOf(to), { from, to });
    }
  }
  return [...packages]
    .flatMap(([name, plan]) =>
      circlesOf(plan)
        .filter((circle) => !isAmong(circle, allowed[name] ?? []))
        .map((circle) => `packages/${name}/src: ${told(circle)}`),
    )
    .sort();
}

function isAmong(circle: readonly Passage[], rooms: readonly string[]): boolean {
  return circle.every(({ from }) => rooms.includes(roomOf(from)));
}

/** The folder of a file; a file beside the folders is its own. */
function roomOf(file: string): string {
  const folder = dirname(file);
  return folder === '.' ? file : folder;
}

/**
 * A shortest circle through each room that is in one, those through the same rooms once. Whoever mends it may find the next: none is
 * left when none is told.
 */
function circlesOf(plan: Plan): Passage[][] {
  const circles = new Map<string, Passage[]>();
  for (const room of [...plan.keys()].sort()) {
    const circle = circleThrough(plan, room);
    if (circle === null) continue;
    const rooms = circle.map(({ from }) => roomOf(from)).sort();
    if (rooms.every((each) => each.endsWith('.ts'))) continue;
    if (!circles.has(rooms.join('|'))) circles.set(rooms.join('|'), circle);
  }
  return [...circles.values()];
}

function circleThrough(plan: Plan, start: string): Passage[] | null {
  const reached = new Map<string, readonly Passage[]>([[start, []]]);
  for (const [room, way] of reached) {
    for (const [next, passage] of plan.get(room) ?? []) {
      if (next === start) return [...way, passage];
      // A map goes on over what is added while it is walked.
      if (!reached.has(next)) reached.set(next, [...way, passage]);
    }
  }
  return null;
}

function told(circle: readonly Passage[]): string {
  const rooms = circle.map(({ from }) => roomOf(from));
  const imports = circle.map(({ from, to }) => `${from} imports ${to}`);
  return `${[...rooms, rooms[0]].join(' → ')} (${imports.join('; ')})`;
}
