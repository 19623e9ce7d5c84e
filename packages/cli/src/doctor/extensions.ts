import { isJsonObject, type Json, type JsonObject } from '@fairlead/base';
import type { CommandHint } from '../output/command-hint.ts';
import { objectsIn, safeLine } from '../output/safe-text.ts';
import { type Finding, ill, well } from './finding.ts';

/** Which of the host's extensions do not run, or not everywhere; MCP servers have findings of their own. `listed` is what `GET /api/admin/extensions` gave. */
export function checkExtensions(listed: Json, { command, stateFlag }: CommandHint): Finding[] {
  const all = isJsonObject(listed) ? objectsIn(listed['extensions']) : [];
  const rows = all.filter(({ tier }) => tier !== 'mcp');
  const next = `What it says: \`${command} ext list${stateFlag}\`, and \`${command} logs${stateFlag}\`.`;
  const troubled = rows.flatMap((row) => {
    const fault = faultOf(row);
    if (fault === null) return [];
    const what = row['state'] === 'down' ? 'it does not run' : 'it does not run at every scope';
    const check = `extension ${safeLine(row['name'])}`;
    return [
      ill('warn', {
        check,
        what: `${what}: ${safeLine(fault['reason'])}`,
        code: safeLine(fault['code']),
        next,
      }),
    ];
  });
  return troubled.length > 0 ? troubled : [well('extensions', `${rows.length} run`)];
}

function faultOf({ state, reason, failures }: JsonObject): JsonObject | null {
  if (state === 'running') return null;
  if (isJsonObject(reason ?? null)) return reason as JsonObject;
  return objectsIn(failures)[0] ?? { code: 'extension_load_failed', reason: 'nobody knows why' };
}
