import { type Finding, ill, well } from './finding.ts';

/** Whether every process that a plugin starts can be found when the plugin ends. */
export function checkProcessTable(platform: NodeJS.Platform, hasProc: boolean): Finding {
  const check = 'processes';
  if (hasProc) return well(check, 'what a plugin starts is found by /proc when it ends');
  return ill('warn', {
    check,
    what: `${platform} has no /proc: a process that leaves its plugin's process group is not ended with it`,
    code: 'process_table_absent',
  });
}
