import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { locateTomlKeys } from '@fairlead/base';
import { linkLimits } from '@fairlead/protocol';
import { parse } from 'smol-toml';
import { limits } from '../limits.ts';
import { ConfigFindings, type ConfigNote, ConfigTable } from './config-table.ts';
import { readConfigText } from './config-text.ts';
import { nameRules } from './names.ts';
import { absolutePath } from './text-rules.ts';

/** One project of this machine. Only id, name and kind ever leave it. */
export type Project = {
  readonly id: string;
  readonly name: string;
  readonly kind: string;
  readonly path: string;
};

/** The projects that were read, and what was wrong with the files that were not. */
export type ProjectFiles = {
  readonly projects: readonly Project[];
  /** For this machine only. */
  readonly warnings: readonly { readonly file: string; readonly note: ConfigNote }[];
};

/**
 * Reads one project from each `*.toml` of a folder, in the order of the file names; at most 64. A file that is wrong
 * is left out and warned about: the Runner starts without it. An absent folder has no projects.
 */
export async function readProjectFiles(folder: string, platform: NodeJS.Platform): Promise<ProjectFiles> {
  const projects: Project[] = [];
  const warnings: { file: string; note: ConfigNote }[] = [];
  const names = await readdir(folder).catch(() => undefined);
  if (names === undefined) {
    const note = { key: 'project_registry_dir', message: 'is not a folder that can be read' };
    return { projects, warnings: [{ file: '', note }] };
  }
  for (const file of names.filter((name) => name.endsWith('.toml')).sort()) {
    if (projects.length === linkLimits.maxProjects) {
      warnings.push({
        file,
        note: { key: 'the file', message: `is left out: ${linkLimits.maxProjects} are the most` },
      });
      continue;
    }
    const { project, notes } = await readProjectFile(join(folder, file), platform);
    warnings.push(...notes.map((note) => ({ file, note })));
    if (project === undefined) continue;
    if (projects.some((other) => other.id === project.id)) {
      warnings.push({ file, note: { key: 'id', message: 'is used by another project file before it' } });
    } else projects.push(project);
  }
  return { projects, warnings };
}

async function readProjectFile(
  path: string,
  platform: NodeJS.Platform,
): Promise<{ project?: Project; notes: readonly ConfigNote[] }> {
  const file = await readConfigText(path);
  if (!file.ok) return { notes: [{ key: 'the file', message: `is left out: ${file.localDetail}` }] };
  let document: Record<string, unknown>;
  try {
    document = parse(file.text);
  } catch {
    return { notes: [{ key: 'the file', message: 'is left out: it is not valid TOML' }] };
  }
  const findings = new ConfigFindings(locateTomlKeys(file.text));
  const table = new ConfigTable(document, [], findings);
  const id = table.requiredText('id', nameRules.linkName);
  const folder = table.requiredText('path', absolutePath(limits.pathMaxBytes, platform));
  const name = table.text('name', nameRules.linkName);
  const kind = table.text('kind', nameRules.linkName);
  table.withoutEffect(['allow_patch', 'shell_profile']);
  table.finish();
  const notes = [...findings.faults, ...findings.warnings];
  if (findings.faults.length > 0 || id === undefined || folder === undefined) return { notes };
  return { project: { id, name: name ?? id, kind: kind ?? 'folder', path: folder }, notes };
}
