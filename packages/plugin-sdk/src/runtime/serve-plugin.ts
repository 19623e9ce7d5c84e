import type { Plugin } from '../authoring/plugin.ts';
import { isPluginSdkError, type PluginSdkError, pluginSdkError, pluginSdkErrors } from '../errors.ts';
import { FRAME_MAX_BYTES } from '../limits.ts';
import { type Frame, frameSplitter } from './frame-splitter.ts';
import { lineWriter, type PluginOutput, saysPeerIsGone } from './line-writer.ts';
import { reply } from './reply.ts';

/** Where requests come from: any Node `Readable`. */
export interface PluginInput extends AsyncIterable<Uint8Array | string> {
  destroy(): unknown;
}

/** The three streams of a plugin. `error` gets one line when the plugin fails, and nothing else. */
export interface PluginStreams {
  readonly input: PluginInput;
  readonly output: PluginOutput;
  readonly error: { write(text: string): unknown };
}

/**
 * Answers requests from `input` on `output`, one at a time and in order, until the input ends or the reader of the
 * output goes away. For tests, and for a plugin that brings its own streams; `runPlugin` is for the rest.
 *
 * A request over 1 MiB is answered with an error and skipped.
 *
 * Rejects with `sdk_tool_threw`, `sdk_result_unsendable` or `sdk_stream_failed`, and what was thrown as `cause`. The
 * request in hand then gets no answer, later ones are not looked at, and one fixed line goes to `error`.
 */
export async function servePlugin(plugin: Plugin, streams: PluginStreams): Promise<void> {
  const { input, error } = streams;
  let outputFailure: PluginSdkError | undefined;
  const output = lineWriter(streams.output, (failure) => {
    outputFailure = failure;
    // Nothing can be answered any more: this ends the wait for the next request.
    input.destroy();
  });

  async function answer(frame: Frame): Promise<void> {
    const line = reply(plugin, frame);
    await output.write(typeof line === 'string' ? line : await line);
  }

  function failureOf(cause: unknown): PluginSdkError | undefined {
    if (isPluginSdkError(cause)) return cause;
    if (output.gone) return outputFailure;
    if (saysPeerIsGone(cause)) return undefined;
    return pluginSdkError('sdk_stream_failed', Error, { cause });
  }

  try {
    const frames = frameSplitter(FRAME_MAX_BYTES);
    for await (const chunk of input) {
      for (const frame of frames.push(chunk)) {
        if (output.gone) break;
        await answer(frame);
      }
    }
    const last = frames.end();
    if (last !== undefined && !output.gone) await answer(last);
    if (outputFailure !== undefined) throw outputFailure;
  } catch (cause) {
    const failure = failureOf(cause);
    if (failure === undefined) return;
    // The table's text alone: what a tool threw may hold arguments or secrets.
    error.write(`fairlead plugin stopped: ${pluginSdkErrors[failure.code].message}\n`);
    throw failure;
  }
}
