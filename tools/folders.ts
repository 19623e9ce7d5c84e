import { glob, readFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { importsOf } from './floors.ts';

/** One import between two rooms of a package: the rooms, and the files by which it happens. */
type Passage = { readonly room: string; readonly from: string; readonly to: string };

/** The rooms of one package and one passage from each to each other that it imports from. */
type Plan = Map<string, Map<string, Passage>>;

/** The sources of one package, by their paths below `src`, and what each imports of them. */
type Sources = Map<string, readonly string[]>;

/**
 * Circles that stand, by package: the rooms among which they are. None may be added; each stands for a move that touches
 * most of its package.
 */
export const standing: Readonly<Record<string, readonly string[]>> = {
  extension: ['authoring', 'carrier', 'contracts', 'guest', 'json', 'limits.ts', 'manifest'],
  store: ['log', 'rights'],
};

/**
 * Reads the sources of every package and returns one sentence per circle of folders: within a package, too, imports go one way,
 * so that each folder can be read after those it stands on. A file that lies beside folders is a room of its own: it may
 * hold what all of them need, or put them together; files alone may need each other, as types do.
 */
export async function checkFolders(root: string, allowed = standing): Promise<string[]> {
  const packages = await readSources(root);
  return [...packages]
    .flatMap(([name, sources]) =>
      circlesOf(planOf(sources))
        .filter((circle) => !circle.every(({ room }) => allowed[name]?.includes(room) === true))
        .map((circle) => `packages/${name}/src: ${told(circle)}`),
    )
    .sort();
}

async function readSources(root: string): Promise<ReadonlyMap<string, Sources>> {
  const packages = new Map<string, Sources>();
  for await (const path of glob('packages/*/src/**/*.ts', { cwd: root })) {
    const [, name = ''] = path.split(sep);
    const source = join('packages', name, 'src');
    const text = await readFile(join(root, path), 'utf8');
    const imported = importsOf(text)
      .filter((specifier) => specifier.startsWith('.'))
      .map((specifier) => relative(source, join(dirname(path), specifier)))
      .filter((file) => !file.startsWith('..'));
    const sources: Sources = packages.get(name) ?? new Map();
    packages.set(name, sources.set(relative(source, path), imported));
  }
  return packages;
}

function planOf(sources: Sources): Plan {
  const plan: Plan = new Map();
  const roomOf = roomsOf(sources);
  for (const [from, imported] of sources) {
    const room = roomOf(from);
    const passages = plan.get(room) ?? new Map<string, Passage>();
    plan.set(room, passages);
    for (const to of imported) {
      const next = roomOf(to);
      if (next !== room && !passages.has(next)) passages.set(next, { room, from, to });
    }
  }
  return plan;
}

/** A file's room: its folder, or the file itself where that folder has folders. */
function roomsOf(sources: Sources): (file: string) => string {
  const parents = new Set([...sources.keys()].map((file) => dirname(dirname(file))));
  // Above the folders of a package is the package, whether it has any or not.
  parents.add('.');
  return (file) => (parents.has(dirname(file)) ? file : dirname(file));
}

/**
 * A shortest circle through each room that is in one, those through the same rooms once. Whoever mends it may find the next: none is
 * left when none is told.
 */
function circlesOf(plan: Plan): Passage[][] {
  const circles = new Map<string, Passage[]>();
  for (const start of [...plan.keys()].sort()) {
    const circle = circleThrough(plan, start);
    if (circle === null) continue;
    const rooms = circle.map(({ room }) => room).sort();
    if (rooms.every((room) => room.endsWith('.ts'))) continue;
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
  const rooms = circle.map(({ room }) => room);
  const imports = circle.map(({ from, to }) => `${from} imports ${to}`);
  return `${[...rooms, rooms[0]].join(' → ')} (${imports.join('; ')})`;
}
