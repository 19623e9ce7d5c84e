import { answer, fail, goodTools, type Plays, type Request, text, VERSION } from './plays.ts';
import type { Stage } from './stage.ts';

const LF = 0x0a;
/** Above this a line can be no call: 64 KiB of arguments, each byte escaped, and their envelope. */
const LARGE_LINE_BYTES = 400_000;
const LINE_MAX_BYTES = 1024 * 1024;

const PARSE_ERROR = -32700;
const METHOD_NOT_FOUND = -32601;
const INVALID_PARAMS = -32602;

/** A plugin that does what its scenario says, and everything else as the wire asks. */
export class HostilePlugin {
  readonly #stage: Stage;
  readonly #plays: Plays;
  #held: Buffer = Buffer.alloc(0);
  #lists = 0;

  constructor(stage: Stage, plays: Plays) {
    this.#stage = stage;
    this.#plays = plays;
  }

  start(): void {
    this.#plays.atStart?.(this.#stage);
  }

  /** Takes what came on stdin. */
  read(chunk: Buffer): void {
    if (this.#plays.reading === 'chunks') {
      this.#line(chunk.subarray(0, chunk.at(-1) === LF ? -1 : undefined));
      return;
    }
    const read = this.#plays.reading === 'decoded_chunks' ? Buffer.from(chunk.toString('utf8')) : chunk;
    this.#held = Buffer.concat([this.#held, read]);
    let isFirst = true;
    for (let end = this.#held.indexOf(LF); end >= 0; end = this.#held.indexOf(LF)) {
      const found = this.#held.subarray(0, end);
      this.#held = this.#held.subarray(end + 1);
      if (isFirst || this.#plays.reading !== 'first') this.#line(found);
      isFirst = false;
    }
  }

  /** Stdin has ended. What is being watched may want to see that the process is ended from outside. */
  end(): void {
    if (this.#stage.record === null && this.#plays.stdinEnd !== 'goes_on') this.#stage.exit(0);
  }

  #line(bytes: Buffer): void {
    const { largeLine, malformedLine, notification } = this.#plays;
    if (bytes.length > LARGE_LINE_BYTES && largeLine !== undefined) {
      largeLine(this.#stage);
      return;
    }
    const request = bytes.length > LINE_MAX_BYTES ? null : parsed(bytes);
    if (request === null) {
      if (malformedLine === undefined) fail(this.#stage, null, { code: PARSE_ERROR, message: 'no request' });
      else malformedLine(this.#stage);
    } else if (request.id === undefined) notification?.(this.#stage);
    else this.#serve(request as Request);
  }

  #serve(request: Request): void {
    const stage = this.#stage;
    const plays = this.#plays;
    const { id, method, params } = request;
    switch (method) {
      case 'initialize':
        if (params.protocolVersion !== VERSION) (plays.otherVersion ?? refuseParams)(stage, request);
        else if (plays.initialize === undefined) answer(stage, id, { protocolVersion: VERSION });
        else plays.initialize(stage, request);
        return;
      case 'tools/list':
        this.#lists += 1;
        if (this.#lists > 1 && plays.secondList !== undefined) {
          plays.secondList(stage, request);
          return;
        }
        if (plays.list === undefined) answer(stage, id, { tools: (plays.tools ?? goodTools)(stage) });
        else plays.list(stage, request);
        plays.afterList?.(stage);
        return;
      case 'tools/call':
        this.#call(request);
        return;
      default:
        (plays.unknownMethod ?? refuseMethod)(stage, request);
    }
  }

  #call(request: Request): void {
    const stage = this.#stage;
    const { call, unknownTool, badArguments } = this.#plays;
    const { id, params } = request;
    if (params.name !== 'echo' && params.name !== 'strict') (unknownTool ?? refuseParams)(stage, request);
    else if (params.name === 'strict' && !Number.isInteger(params.arguments?.['n']))
      (badArguments ?? refuseParams)(stage, request);
    else if (call === undefined) answer(stage, id, text(JSON.stringify(params.arguments)));
    else call(stage, request);
  }
}

function refuseParams(stage: Stage, { id }: Request): void {
  fail(stage, id, { code: INVALID_PARAMS, message: 'invalid params' });
}

function refuseMethod(stage: Stage, { id }: Request): void {
  fail(stage, id, { code: METHOD_NOT_FOUND, message: 'method not found' });
}

function parsed(bytes: Buffer): (Partial<Request> & { readonly params: Request['params'] }) | null {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    if (typeof value !== 'object' || value === null) return null;
    return { params: {}, ...value };
  } catch {
    return null;
  }
}
