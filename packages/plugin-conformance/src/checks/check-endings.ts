import type { FrozenCatalog } from '@fairlead/protocol';
import { INITIALIZE, isStartFault } from '../plugin/lab.ts';
import type { PluginSession } from '../plugin/plugin-session.ts';
import { seenOf } from '../plugin/seen.ts';
import { shownValue } from '../plugin/shown.ts';
import { admittedCatalog, isGreeting } from './admission.ts';
import { type Run, startAgain } from './run.ts';

/** Ends stdin of a process that has answered everything, and looks at what stays. */
export async function checkStdinEnd({ lab, findings }: Run, session: PluginSession): Promise<void> {
  const exit = await session.endStdin();
  if (exit === null) {
    const expected = `the process to end within ${lab.times.exitMs / 1000} s of the end of its stdin`;
    findings.fault({ clause: 'wire.manners.stdin-end', expected, seen: 'it goes on' });
    findings.skip('the plugin did not end by itself', ['wire.manners.no-child-left']);
    return;
  }
  findings.pass('wire.manners.stdin-end');
  const left = await lab.leftovers(session);
  if (left === 0) findings.pass('wire.manners.no-child-left');
  else {
    const seen = left === 1 ? '1 process of it lives on' : `${left} processes of it live on`;
    findings.fault({ clause: 'wire.manners.no-child-left', expected: 'no process of the plugin', seen });
  }
}

/** Starts the plugin once more, with PATH alone; compares its tools with those of the first start; ends it with SIGTERM. */
export async function checkSecondStart(
  run: Run,
  first: FrozenCatalog,
  platform: NodeJS.Platform,
): Promise<void> {
  const { lab, findings } = run;
  const bare = await startWithPathOnly(run);
  if (bare !== null) findings.pass('wire.manners.path-only');
  const session = bare ?? (await startWhole(run));
  if (session === null) return;
  const second = admittedCatalog(await session.ask('tools/list', {}));
  const changed = second === null ? ['the whole list'] : changedTools(first, second);
  if (changed.length === 0) findings.pass('wire.manners.same-tools');
  else {
    const expected = 'the tools of the first start, so that bindings and habits last';
    findings.fault({
      clause: 'wire.manners.same-tools',
      expected,
      seen: `other ones: ${shownValue(changed)}`,
    });
  }
  if (platform === 'win32') {
    findings.skip('Windows has no SIGTERM', ['wire.manners.sigterm']);
    return;
  }
  if ((await session.terminate()) !== null) findings.pass('wire.manners.sigterm');
  else {
    const expected = `the process to end within ${lab.times.exitMs / 1000} s of SIGTERM`;
    findings.fault({ clause: 'wire.manners.sigterm', expected, seen: 'it goes on' });
  }
}

async function startWithPathOnly({ lab, findings }: Run): Promise<PluginSession | null> {
  const session = await lab.start('path-only');
  if (!isStartFault(session) && isGreeting(await session.ask('initialize', INITIALIZE))) return session;
  const said = lab.lastSession?.stderr.lines().at(-1)?.text;
  findings.fault({
    clause: 'wire.manners.path-only',
    expected: 'the protocol version as an answer to initialize',
    seen: said === undefined ? 'none' : `none; the last line of its stderr: ${shownValue(said)}`,
  });
  return null;
}

/** With the environment that it had at its first start. */
async function startWhole(run: Run): Promise<PluginSession | null> {
  const session = await startAgain(run);
  if (session === null) return null;
  const hello = await session.ask('initialize', INITIALIZE);
  if (isGreeting(hello)) return session;
  const expected = 'what it answered at its first start';
  run.findings.fault({ clause: 'wire.initialize.answers', expected, seen: seenOf(hello) });
  return null;
}

function changedTools(first: FrozenCatalog, second: FrozenCatalog): string[] {
  const names = new Set([...first.tools.keys(), ...second.tools.keys()]);
  return [...names].filter(
    (name) => first.tools.get(name)?.observation !== second.tools.get(name)?.observation,
  );
}
