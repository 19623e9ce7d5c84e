import { connect } from 'node:net';
import { type Clock, isJsonObject, type Json, parseJson, systemClock } from '@fairlead/base';
import type { ProviderRow, ProviderStatus } from '@fairlead/protocol';
import { isText } from '@fairlead/protocol';
import { limits } from '../limits.ts';
import { findSocket } from './runner-folder.ts';

/** One line that a plugin wrote, printable ASCII only. */
export type LocalStderrLine = { readonly text: string; readonly truncated: boolean };

/** What a plugin wrote last. `candidate`: its most recent candidate of a check, or of a reload that changed nothing. */
export type PluginStderr = {
  readonly plugin: string;
  readonly committed: readonly LocalStderrLine[] | null;
  readonly candidate: readonly LocalStderrLine[] | null;
};

export type LocalRunner = {
  readonly stateDirectory: string;
  readonly runnerId: string;
  /** Default: the machine's own. */
  readonly clock?: Clock;
};

/** A local answer, or why there is none. */
export type LocalAnswer<T> =
  | ({ readonly ok: true } & T)
  | {
      readonly ok: false;
      readonly code: 'runner_not_running' | 'plugin_not_configured' | 'runner_answer_invalid';
    };

/**
 * Reads a plugin's last stderr lines from the Runner that runs on this machine. Codes: `runner_not_running`,
 * `plugin_not_configured` (the Runner has no such plugin), `runner_answer_invalid`.
 */
export async function readStderr(
  options: LocalRunner & { readonly plugin: string },
): Promise<LocalAnswer<{ stderr: PluginStderr }>> {
  const answer = await ask(options, { op: 'stderr', plugin: options.plugin });
  if (typeof answer === 'string') return { ok: false, code: answer };
  if (answer['code'] === 'plugin_not_configured') return { ok: false, code: 'plugin_not_configured' };
  const committed = linesOf(answer['committed']);
  const candidate = linesOf(answer['candidate']);
  if (committed === undefined || candidate === undefined) return { ok: false, code: 'runner_answer_invalid' };
  return { ok: true, stderr: { plugin: options.plugin, committed, candidate } };
}

/** What a Runner on this machine says of itself: its id, its gateway link, its providers. Codes as `readStderr`. */
export async function readLocalStatus(
  options: LocalRunner,
): Promise<LocalAnswer<{ registered: boolean; providers: readonly ProviderRow[] }>> {
  const answer = await ask(options, { op: 'status' });
  if (typeof answer === 'string') return { ok: false, code: answer };
  const { registered, providers } = answer;
  if (typeof registered !== 'boolean' || !Array.isArray(providers)) {
    return { ok: false, code: 'runner_answer_invalid' };
  }
  const rows = (providers as readonly Json[]).map(rowOf).filter((row) => row !== null);
  if (rows.length !== providers.length) return { ok: false, code: 'runner_answer_invalid' };
  return { ok: true, registered, providers: rows };
}

const ANSWER_BOUNDS = {
  maxBytes: limits.localAnswerMaxBytes,
  maxDepth: 8,
  maxNodes: 4096,
  maxStringBytes: limits.localAnswerMaxBytes,
  maxKeyBytes: limits.localRequestMaxBytes,
};

async function ask(
  runner: LocalRunner,
  request: Json,
): Promise<{ readonly [key: string]: Json } | 'runner_not_running' | 'runner_answer_invalid'> {
  const path = await findSocket(runner.stateDirectory, runner.runnerId);
  const bytes = await exchange(path, `${JSON.stringify(request)}\n`, runner.clock ?? systemClock());
  if (typeof bytes === 'string') return bytes;
  const parsed = parseJson(bytes, ANSWER_BOUNDS);
  return parsed.ok && isJsonObject(parsed.value) ? parsed.value : 'runner_answer_invalid';
}

function exchange(
  path: string,
  line: string,
  clock: Clock,
): Promise<Buffer | 'runner_not_running' | 'runner_answer_invalid'> {
  return new Promise((resolve) => {
    const socket = connect(path);
    const chunks: Buffer[] = [];
    let length = 0;
    let connected = false;
    const end = (answer: Buffer | 'runner_not_running' | 'runner_answer_invalid') => {
      timer.cancel();
      socket.destroy();
      resolve(answer);
    };
    const timer = clock.setTimer(limits.localTimeoutMs, () => end('runner_answer_invalid'));
    socket.on('connect', () => {
      connected = true;
      socket.write(line);
    });
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      length += chunk.length;
      if (length > limits.localAnswerMaxBytes) end('runner_answer_invalid');
    });
    socket.on('end', () => end(Buffer.concat(chunks)));
    socket.on('error', () => end(connected ? 'runner_answer_invalid' : 'runner_not_running'));
  });
}

function linesOf(value: Json | undefined): LocalStderrLine[] | null | undefined {
  if (value === null) return null;
  if (!Array.isArray(value)) return undefined;
  const lines: LocalStderrLine[] = [];
  for (const item of value as readonly Json[]) {
    if (!isJsonObject(item)) return undefined;
    const { text, truncated } = item;
    // Shown on a terminal, so nothing but plain text is believed.
    if (!isText(text, 0, limits.localAnswerMaxBytes) || typeof truncated !== 'boolean') return undefined;
    lines.push({ text, truncated });
  }
  return lines;
}

function rowOf(value: Json): ProviderRow | null {
  if (!isJsonObject(value)) return null;
  const { id, name, status, error_code } = value;
  if (typeof id !== 'string' || typeof name !== 'string' || !isStatus(status)) return null;
  if (error_code !== null && typeof error_code !== 'string') return null;
  return { id, name, status, error_code };
}

function isStatus(value: Json | undefined): value is ProviderStatus {
  return value === 'starting' || value === 'ready' || value === 'failed';
}
