import type { ClauseFault } from '../clauses/clause-fault.ts';
import { judgeIdle, lastWords } from '../plugin/judge.ts';
import { isStartFault } from '../plugin/lab.ts';
import type { PluginSession } from '../plugin/plugin-session.ts';
import { whyNotAdmitted } from './admission.ts';
import type { Run } from './run.ts';

/**
 * Starts the plugin beside `older`, as a reload does, which serves on until the new process is admitted. The one that a Runner
 * goes on with is returned, and the other one ended; null where neither is in step, which is noted.
 */
export async function checkBeside(run: Run, older: PluginSession): Promise<PluginSession | null> {
  const { findings } = run;
  const newer = await startBeside(run);
  await older.listen();
  if (!older.sound) {
    findings.fault(besideFault('a process that goes on when another is started', 'it ended'));
    return null;
  }
  if (!judgeIdle(findings, older)) return null;
  if (newer === null) return older;
  findings.pass('wire.life.beside');
  await older.close();
  return newer;
}

async function startBeside({ lab, findings }: Run): Promise<PluginSession | null> {
  const expected = 'what it answers when it is alone';
  const session = await lab.startBeside();
  if (isStartFault(session)) {
    findings.fault(besideFault(expected, `${session.localDetail} (${session.code})`));
    return null;
  }
  const seen = await whyNotAdmitted(session);
  if (seen === null) return session;
  findings.fault(besideFault(expected, `${seen}${lastWords(session)}`));
  await session.close();
  return null;
}

function besideFault(expected: string, seen: string): ClauseFault {
  return { clause: 'wire.life.beside', expected, seen };
}
