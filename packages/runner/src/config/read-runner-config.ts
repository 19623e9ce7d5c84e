import { limits } from '../limits.ts';
import { type ConfigNote, noteText } from './config-table.ts';
import { readConfigText } from './config-text.ts';
import { parseRunnerConfig, type RunnerConfig } from './runner-config.ts';

/** What `readRunnerConfig` answers. `localDetail` names lines and keys of the file: show it on this machine only. */
export type RunnerConfigFile =
  | { readonly ok: true; readonly config: RunnerConfig; readonly warnings: readonly ConfigNote[] }
  | {
      readonly ok: false;
      readonly code: 'plugin_config_read_failed' | 'plugin_config_parse_failed' | 'plugin_config_invalid';
      readonly localDetail: string;
      /** Where `localDetail` is about single keys; for this machine only. */
      readonly faults?: readonly ConfigNote[];
      /** True where the path names nothing. */
      readonly absent?: boolean;
    };

/**
 * Reads and checks a `runner.toml` of at most 1 MiB. Codes: `plugin_config_read_failed` (absent, not an ordinary file,
 * unreadable, too large), `plugin_config_parse_failed` (not UTF-8, not TOML), `plugin_config_invalid` (a value out of
 * its bounds, a required key missing). Unknown keys are warnings with their line and the nearest known key.
 * Rules: docs/reference/configuration-runner.md.
 */
export async function readRunnerConfig(
  path: string,
  platform: NodeJS.Platform = process.platform,
): Promise<RunnerConfigFile> {
  const file = await readConfigText(path);
  if (!file.ok) {
    const code = file.fault === 'not_utf8' ? 'plugin_config_parse_failed' : 'plugin_config_read_failed';
    return {
      ok: false,
      code,
      localDetail: file.localDetail,
      ...(file.fault === 'absent' ? { absent: true } : {}),
    };
  }
  const reading = parseRunnerConfig(file.text, platform);
  if (reading.ok) return reading;
  const { code, faults } = reading;
  return { ok: false, code, localDetail: faultsText(faults), faults };
}

function faultsText(faults: readonly ConfigNote[]): string {
  const shown = faults.slice(0, limits.faultsShownMax).map(noteText);
  if (faults.length > shown.length) shown.push(`and ${faults.length - shown.length} more`);
  return shown.join('\n');
}
