import type { Clock, Json } from '@fairlead/base';
import type { BindingBook } from './bindings/binding-book.ts';
import { Invoker, type InvokerOptions, type ToolRequest } from './invocation/invoker.ts';
import type { TaskSubject } from './invocation/tool-task.ts';
import type { Invocation } from './invocation.ts';
import { pluginTaskReader } from './plugin-tool/plugin-task.ts';
import type { RunnerPort } from './runner-port.ts';
import type { TaskWords } from './sessions/session-recorder.ts';
import type { Settler } from './settling/settler.ts';

/** One invocation of `plugin_tool`, its principal already authenticated. */
export type InvocationRequest = ToolRequest & { readonly tool: 'plugin_tool' };

/** What the executor works with; all of it is the caller's to close. */
export type ExecutorOptions = InvokerOptions & {
  readonly runners: RunnerPort;
  readonly clock: Clock;
  readonly bindings: BindingBook;
  readonly settler: Pick<Settler, 'report'>;
};

/** The one way to carry out `plugin_tool` (docs/reference/plugin-tool.md). */
export type Executor = {
  /**
   * In this order: parse, scope, recording session, journal intent, decision, dispatch, journal outcome. Never rejects; each
   * invocation that parses has exactly one row in the journal. Errors by code: `dispatchErrors`, `protocolErrors`.
   */
  invoke(request: InvocationRequest): Promise<Invocation>;
  /** What a session and a person are told of params that parse, and what the journal is; undefined for any others. */
  look(params: Json): LookedAt | undefined;
};

/** Params of `plugin_tool` that were read and not carried out. */
export type LookedAt = {
  readonly action: string;
  readonly subject: TaskSubject;
  readonly words: TaskWords;
};

export function createExecutor(options: ExecutorOptions): Executor {
  const invoker = new Invoker(options);
  const read = pluginTaskReader(options);
  return {
    invoke: (request) => invoker.invoke(request, read),
    look(params) {
      const reading = read(params);
      if (!reading.ok) return undefined;
      const { action, subject } = reading.task;
      const words = reading.task.words?.();
      return words === undefined ? undefined : { action, subject, words };
    },
  };
}
