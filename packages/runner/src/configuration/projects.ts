import { dirname, resolve } from 'node:path';
import { canonicalPath } from '../config/canonical-path.ts';
import { noteText } from '../config/config-table.ts';
import { type Project, readProjectFiles } from '../config/project-files.ts';
import type { RunnerConfig } from '../config/runner-config.ts';
import type { RunnerLog } from '../log.ts';

/** A project with its folder as it was when its file was read; null where there was none. */
export type RootedProject = Project & { readonly root: string | null };

/** The projects of one configuration. `isWhole`: no project file had anything to warn about. */
export type ReadProjects = { readonly projects: readonly RootedProject[]; readonly isWhole: boolean };

/** Reads the project files that a configuration names, beside the file it came from. What is wrong with one goes to the log. */
export async function readProjects(
  { projectRegistryDir }: RunnerConfig,
  where: { readonly configPath?: string; readonly platform: NodeJS.Platform; readonly log: RunnerLog },
): Promise<ReadProjects> {
  const { configPath, platform, log } = where;
  if (projectRegistryDir === undefined || configPath === undefined) return { projects: [], isWhole: true };
  const folder = resolve(dirname(configPath), projectRegistryDir);
  const { projects, warnings } = await readProjectFiles(folder, platform);
  for (const { file, note } of warnings) log('warn', 'project.warning', { file, detail: noteText(note) });
  const rooted = projects.map(async (project) => ({ ...project, root: await canonicalPath(project.path) }));
  return { projects: await Promise.all(rooted), isWhole: warnings.length === 0 };
}

/** What a gateway is told of a project. */
export type ToldProject = { readonly id: string; readonly name: string; readonly kind: string };

export function toldProjects(projects: readonly Project[]): ToldProject[] {
  return projects.map(({ id, name, kind }) => ({ id, name, kind }));
}

/** True where both are the same projects in the same folders. */
export function sameProjects(left: readonly RootedProject[], right: readonly RootedProject[]): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}
