import { admitCatalog, type FrozenCatalog } from '@fairlead/protocol';
import { type Judged, judge, judgeIdle } from '../plugin/judge.ts';
import { INITIALIZE, isStartFault, type StartFault } from '../plugin/lab.ts';
import { isMeantFor, strayFault } from '../plugin/line-faults.ts';
import type { PluginSession } from '../plugin/plugin-session.ts';
import { seenOf } from '../plugin/seen.ts';
import type { Findings } from '../report/findings.ts';
import { initializeFault } from './admission.ts';
import { catalogFaults } from './catalog-faults.ts';
import { ask, type Run, startAgain } from './run.ts';

/** How far the first start came. */
export type Start =
  | { readonly kind: 'not_started'; readonly fault: StartFault }
  /** The plugin is none that a Runner takes; why has been noted. */
  | { readonly kind: 'refused' }
  | { readonly kind: 'ready'; readonly catalog: FrozenCatalog };

/** Starts the plugin, says hello, lists its tools and listens: everything that a Runner does before it calls a tool ready. */
export async function checkStart(run: Run): Promise<Start> {
  const { lab, findings } = run;
  const session = await lab.start();
  if (isStartFault(session)) return { kind: 'not_started', fault: session };
  await session.listen();
  const banner = session.takeStrays().lines;
  for (const line of banner) findings.fault(strayFault(line, session.answered));
  if (banner.length > 0) return { kind: 'refused' };

  const hello = await ask(run, session, 'initialize', INITIALIZE, 'wire.initialize.answers');
  if (hello === null && session.sound) await lookForBuffering(run, session);
  if (!judgeHello(findings, hello)) return { kind: 'refused' };
  findings.pass('wire.stderr.free');

  const catalog = judgeList(findings, await ask(run, session, 'tools/list', {}, 'wire.list.answers'));
  if (catalog === null) return { kind: 'refused' };

  await session.listen();
  if (!judgeIdle(findings, session)) return { kind: 'refused' };
  findings.pass('wire.life.goes-on', 'wire.response.once', 'wire.framing.stdout');
  return { kind: 'ready', catalog };
}

/**
 * Starts it again and sends it a request in three pieces, as a slow pipe gives it: the second one, because by then the process
 * is up and waits. Null where no Runner would take what is answered, which is noted.
 */
export async function checkPieces(run: Run): Promise<PluginSession | null> {
  const { findings } = run;
  const session = await startAgain(run);
  if (session === null) return null;
  const hello = await ask(run, session, 'initialize', INITIALIZE, 'wire.initialize.answers');
  if (!judgeHello(findings, hello)) return null;
  const request = session.next('tools/list', {});
  await session.sendInPieces(request.bytes, [1, request.bytes.length - 1]);
  const exchange = await session.answerTo(request.id);
  if (!session.answered.has(exchange.id) || exchange.noise.length > 0) {
    const expected = 'an answer to a request that came in three pieces';
    findings.fault({ clause: 'wire.framing.pieces', expected, seen: seenOf(exchange) });
    return null;
  }
  findings.pass('wire.framing.pieces');
  if (judgeList(findings, judge(findings, session, exchange, 'wire.list.answers')) === null) return null;
  await session.listen();
  return judgeIdle(findings, session) ? session : null;
}

/** The commonest mistake of all: the answer stays in the plugin's own buffer until it ends. */
async function lookForBuffering({ findings }: Run, session: PluginSession): Promise<void> {
  await session.endStdin();
  const isLate = session.takeStrays().lines.some((line) => isMeantFor(line, session.lastId));
  if (!isLate) return;
  const clause = 'wire.initialize.answers';
  findings.fault({
    clause,
    expected: 'an answer at once',
    seen: 'it came when stdin had ended: flush each line',
  });
}

/** True where a Runner goes on after this answer to initialize; why it does not is noted. */
function judgeHello(findings: Findings, hello: Judged): boolean {
  if (hello?.kind !== 'result') return refused(findings, hello, 'wire.initialize.answers');
  findings.pass('wire.initialize.answers');
  const fault = initializeFault(hello.result, hello.bytes);
  if (fault !== null) {
    findings.fault(fault);
    return false;
  }
  findings.pass('wire.initialize.result', 'wire.initialize.version', 'wire.initialize.extra-members');
  return true;
}

/** The catalog that a Runner takes from this answer to tools/list; why it takes none is noted. */
function judgeList(findings: Findings, list: Judged): FrozenCatalog | null {
  if (list?.kind !== 'result') {
    refused(findings, list, 'wire.list.answers');
    return null;
  }
  findings.pass('wire.list.answers');
  const admission = admitCatalog(list.result);
  for (const fault of catalogFaults(list.result)) findings.fault(fault);
  if (!admission.ok) return null;
  findings.pass(
    'wire.list.form',
    'wire.list.count',
    'wire.list.definition',
    'wire.list.name',
    'wire.list.unique-names',
    'wire.list.title',
    'wire.list.description',
    'wire.list.annotations',
    'wire.list.input-schema',
    'wire.list.output-schema',
    'wire.list.schema-keywords',
    'wire.list.part-bounds',
  );
  return admission.catalog;
}

/** An answer that has been noted already, or an error where a result is needed. */
function refused(
  findings: Findings,
  answer: Exclude<Judged, { readonly kind: 'result' }>,
  clause: 'wire.initialize.answers' | 'wire.list.answers',
): false {
  const expected = 'a result, at every start';
  if (answer !== null) findings.fault({ clause, expected, seen: `the error ${answer.code}` });
  return false;
}
