import { type ChildProcess, spawn } from 'node:child_process';
import { isJsonObject, type JsonObject } from '@fairlead/base';
import { isCertainty, type Told, textOf } from '../told.ts';
import { type CallPath, outOfPatience, type PathCall } from './call-path.ts';

/** Above what its two requests may take; it also starts, for which a busy machine needs long. */
const PATIENCE_MS = 60_000;

/** `fairlead plugin call`, a process for each call. It describes the tool itself. */
export class CliPath implements CallPath {
  readonly #command: readonly [string, ...string[]];
  readonly #env: NodeJS.ProcessEnv;
  readonly #running = new Set<ChildProcess>();

  /** `command`: the command up to `plugin call`'s own flags. */
  constructor(command: readonly [string, ...string[]], env: NodeJS.ProcessEnv) {
    this.#command = command;
    this.#env = env;
  }

  call({ tool, arguments: given }: PathCall): Promise<Told> {
    const [program, ...args] = this.#command;
    const all = [...args, '--tool', tool, '--arguments', JSON.stringify(given), '--json'];
    const child = spawn(program, all, { env: this.#env, stdio: ['ignore', 'pipe', 'pipe'] });
    this.#running.add(child);
    const output = { stdout: '', stderr: '' };
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      output.stdout += chunk;
    });
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      output.stderr += chunk;
    });
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        resolve(outOfPatience);
        child.kill('SIGKILL');
      }, PATIENCE_MS);
      child.once('error', () => resolve({ kind: 'unsent', reason: 'the command did not start' }));
      child.once('close', (exit) => {
        clearTimeout(timer);
        this.#running.delete(child);
        resolve(toldByCommand(exit, output));
      });
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const child of this.#running) child.kill('SIGKILL');
  }
}

/** What the exit status and the output say (docs/reference/cli.md): the status must go with the certainty. */
export function toldByCommand(
  exit: number | null,
  { stdout, stderr }: { readonly stdout: string; readonly stderr: string },
): Told {
  if (exit === null) return { kind: 'lost', reason: 'the command was ended' };
  const parsed: unknown = stdout === '' ? null : JSON.parse(stdout);
  const answer: JsonObject = isJsonObject(parsed as JsonObject) ? (parsed as JsonObject) : {};
  const { error, dispatchState, call } = answer;
  if (isJsonObject(error)) {
    const isUnknown = dispatchState === 'outcome_unknown';
    if (!isCertainty(dispatchState)) return { kind: 'unreadable', reason: 'an answer without a certainty' };
    if (isUnknown !== (exit === 3))
      return { kind: 'unreadable', reason: `exit ${exit} with ${String(dispatchState)}` };
    const code = String(error['code']);
    if (code === 'answer_lost' && isUnknown) return { kind: 'lost', reason: code };
    const detail = error['detail'];
    return {
      kind: 'answered',
      certainty: dispatchState,
      code,
      // One that was not started may be the id of the description, which is read and not carried out.
      call: typeof call === 'string' && dispatchState !== 'not_started' ? call : null,
      text: null,
      unsettled: code === 'journal_unsettled' || (isJsonObject(detail) && detail['journal'] === 'unsettled'),
    };
  }
  const isFailure = answer['isError'] === true;
  if (stdout !== '' && exit === (isFailure ? 1 : 0))
    return {
      kind: 'answered',
      certainty: 'completed',
      code: isFailure ? 'plugin_tool_error' : null,
      call: null,
      text: textOf(answer),
      unsettled: false,
    };
  // Refused before anything was sent: it prints why, and no object.
  return exit === 1
    ? { kind: 'unsent', reason: /\((\w+)\)/.exec(stderr)?.[1] ?? 'refused' }
    : { kind: 'unreadable', reason: `exit ${exit}` };
}
