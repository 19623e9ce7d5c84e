import type { Stage } from './stage.ts';

/** A request as it came; nothing of it is trusted. */
export type Request = {
  readonly id: number;
  readonly method: string;
  readonly params: {
    readonly name?: unknown;
    readonly arguments?: Readonly<Record<string, unknown>>;
    readonly protocolVersion?: unknown;
  };
};

type OnRequest = (stage: Stage, request: Request) => void;

/** What a scenario does otherwise than a good plugin; what it leaves out, it does well. */
export type Plays = {
  /** Before anything was read. */
  readonly atStart?: (stage: Stage) => void;
  readonly initialize?: OnRequest;
  readonly list?: OnRequest;
  /** The definitions that it lists. */
  readonly tools?: (stage: Stage) => readonly unknown[];
  /** It is asked for its tools again. */
  readonly secondList?: OnRequest;
  readonly afterList?: (stage: Stage) => void;
  /** A call of a tool that it has, with arguments that fit. */
  readonly call?: OnRequest;
  readonly unknownTool?: OnRequest;
  readonly badArguments?: OnRequest;
  readonly unknownMethod?: OnRequest;
  readonly otherVersion?: OnRequest;
  readonly notification?: (stage: Stage) => void;
  readonly malformedLine?: (stage: Stage) => void;
  /** A line of more bytes than a call can have. */
  readonly largeLine?: (stage: Stage) => void;
  /**
   * How bytes become lines; `chunks` takes each piece for one line, `first` the first line of each piece alone, `decoded_chunks`
   * makes a text of each piece before it looks for lines.
   */
  readonly reading?: 'lines' | 'chunks' | 'first' | 'decoded_chunks';
  readonly stdinEnd?: 'ends' | 'goes_on';
};

export const VERSION = 'webcodex-plugin-v1';
const OPEN = { type: 'object' } as const;

/** One line, whatever the message is. */
export function line(stage: Stage, message: unknown): void {
  stage.out(`${JSON.stringify(message)}\n`);
}

export function answer(stage: Stage, id: unknown, result: unknown): void {
  line(stage, { jsonrpc: '2.0', id, result });
}

export function fail(stage: Stage, id: unknown, error: unknown): void {
  line(stage, { jsonrpc: '2.0', id, error });
}

/** A result of one text. */
export function text(value: string): Record<string, unknown> {
  return { content: [{ type: 'text', text: value }] };
}

/** A definition with an open schema. */
export function tool(name: string, more: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return { name, inputSchema: OPEN, ...more };
}

export const READ_ONLY = { annotations: { readOnlyHint: true } } as const;

/** The tools of a scenario that is not about tools. */
export function goodTools(): readonly unknown[] {
  return [tool('echo', { title: 'Echo', ...READ_ONLY }), STRICT];
}

const STRICT = {
  name: 'strict',
  inputSchema: {
    type: 'object',
    properties: { n: { type: 'integer' } },
    required: ['n'],
    additionalProperties: false,
  },
  ...READ_ONLY,
};

/** Objects in one another, `levels` of them. */
export function nested(levels: number): unknown {
  let value: unknown = {};
  for (let level = 1; level < levels; level += 1) value = { value };
  return value;
}
