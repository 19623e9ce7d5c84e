import { isDeepStrictEqual } from 'node:util';
import { parse, stringify } from 'smol-toml';
import { readBackends } from './read-backends.ts';

/** A back end with one model, as somebody adds it. What is absent has its default. */
export interface NewBackend {
  readonly name: string;
  readonly type: 'openai_compatible' | 'anthropic' | 'scripted';
  readonly base_url?: string;
  /** The name of a variable; the key itself is nowhere. */
  readonly api_key_env?: string;
  readonly file?: string;
  readonly request_timeout_secs?: number;
  readonly max_tokens?: number;
  readonly models?: readonly {
    readonly name: string;
    readonly context_window?: number;
    readonly tools?: boolean;
    /** USD per million tokens. */
    readonly price?: {
      readonly input: number;
      readonly output: number;
      readonly cached?: number;
      readonly written?: number;
    };
  }[];
}

export type AppendedBackend =
  | {
      readonly ok: true /** The whole file. */;
      readonly text: string /** What was added to it. */;
      readonly block: string;
    }
  /** `not_toml`: the file as it is. `not_appended`: its form leaves no room, such as `backends = [...]`. `refused`: what would stand in it. */
  | { readonly ok: false; readonly reason: 'not_toml' | 'not_appended' }
  | {
      readonly ok: false;
      readonly reason: 'refused';
      readonly at: readonly (string | number)[];
      readonly problem: string;
    };

/**
 * The text of a `fairlead.toml` with one back end more. The new text is parsed whole, must say what the old one said and the new back end
 * and nothing else, and must be a file that `readBackends` takes. `asDefault`, `backend/model`, becomes `model` where the file has none.
 */
export function appendBackend(source: string, backend: NewBackend, asDefault?: string): AppendedBackend {
  const old = parseToml(source);
  if (old === null) return { ok: false, reason: 'not_toml' };
  const block = `${stringify({ backends: [backend] }).trim()}\n`;
  const first = asDefault === undefined || old['model'] !== undefined ? {} : { model: asDefault };
  // A key of the document stands above its first table.
  const head = first.model === undefined ? '' : `${stringify(first).trim()}\n`;
  const text = `${head}${withBlankLine(source)}${block}`;
  const fresh = parseToml(text);
  const listed = Array.isArray(old['backends']) ? old['backends'] : [];
  const wanted = { ...old, ...first, backends: [...listed, backend] };
  if (fresh === null || !isDeepStrictEqual(plain(fresh), plain(wanted)))
    return { ok: false, reason: 'not_appended' };
  const reading = readBackends(fresh);
  if (!reading.ok) return { ok: false, reason: 'refused', at: reading.at, problem: reading.problem };
  return { ok: true, text, block: `${head}${block}` };
}

function parseToml(text: string): Readonly<Record<string, unknown>> | null {
  try {
    return parse(text);
  } catch {
    return null;
  }
}

/** As plain JSON: the parser's own dates and prototypes say nothing. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

function withBlankLine(text: string): string {
  if (text === '' || text.endsWith('\n\n')) return text;
  return text.endsWith('\n') ? `${text}\n` : `${text}\n\n`;
}
