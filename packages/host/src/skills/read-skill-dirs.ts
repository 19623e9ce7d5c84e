import { type ConfigurationReading, readConfiguration } from '../configuration/table.ts';
import { skillLimits } from '../limits.ts';

/** `[skills]` of `fairlead.toml`. */
export interface SkillSettings {
  /** Folders of skills that are trusted, as they stand in the file. */
  readonly dirs: readonly string[];
}

/** The keys of `fairlead.toml` that are read here. */
export const skillKeys: readonly string[] = ['skills'];

/** Reads `[skills]` of a parsed `fairlead.toml`. */
export function readSkillSettings(
  document: Readonly<Record<string, unknown>>,
): ConfigurationReading<SkillSettings> {
  return readConfiguration(document, (root) => {
    const table = root.table('skills');
    table.onlyKnown(['dirs']);
    const problem = 'must be a list of paths of folders';
    const dirs = (table.list('dirs', skillLimits.dirs) ?? []).map((path) => {
      const fits = typeof path === 'string' && path !== '' && path.length <= 4096 && !path.includes('\0');
      return fits ? path : table.refuse('dirs', problem);
    });
    return { dirs };
  });
}
