import { ToolFault } from '@fairlead/extension';
import type { Caller } from '../builtin-peer.ts';
import { allowed, toolFault } from '../errors.ts';
import { webLimits } from '../limits.ts';
import type { WebAnswer, WebPeer } from '../peer/web-peer.ts';
import type { PageReader } from './page/page-reader.ts';
import { type PageText, pageText } from './page/page-text.ts';

/** The methods of `web_fetch`; those that only read first. */
export const FETCH_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

export interface PageFetch {
  readonly caller: Caller;
  readonly url: string;
  readonly method: (typeof FETCH_METHODS)[number];
  readonly body?: string | undefined;
  readonly contentType?: string | undefined;
  readonly signal: AbortSignal;
}

/** A page as the tool answers it. */
export interface FetchedPage {
  readonly text: string;
  readonly data: {
    readonly status: number;
    /** After redirects. */
    readonly url: string;
    readonly type: string;
    readonly title?: string;
    /** There is more than is shown. */
    readonly cut: boolean;
  };
}

/**
 * Makes one request and shows its answer: HTML as Markdown, other text as it is. Every answer of a server is `completed`, whatever its status. Where
 * no answer came to a request that was sent, a `GET` or `HEAD` is `completed` as well, since it only asked; of any other the outcome is unknown.
 *
 * Faults: `page_not_text`; of the host `grant_denied`, `network_*`.
 */
export async function fetchPage(peer: WebPeer, reader: PageReader, fetch: PageFetch): Promise<FetchedPage> {
  const answer = await answerTo(peer, fetch);
  const page = pageText(answer.body, headerOf(answer, 'content-type'));
  if (page.kind === 'binary' && answer.body.length > 0)
    throw toolFault('completed', 'page_not_text', binaryWords(page, answer), {
      detail: { status: answer.status, type: page.type },
    });
  return await shown(reader, answer, page, fetch.signal);
}

async function answerTo(peer: WebPeer, fetch: PageFetch): Promise<WebAnswer> {
  const { caller, url, method, body, contentType, signal } = fetch;
  const isQuestion = method === 'GET' || method === 'HEAD';
  if (isQuestion && body !== undefined) throw toolFault('not_started', 'page_body_unwanted', method);
  const outcome = await allowed(
    peer.request(caller, {
      ...{ url, method, signal },
      headers: {
        accept: 'text/html, application/xhtml+xml, text/markdown, text/plain, */*;q=0.5',
        ...(body === undefined ? {} : { 'content-type': contentType ?? typeOfBody(body) }),
      },
      ...(body === undefined ? {} : { body }),
      maxBytes: webLimits.pageMaxBytes,
      timeoutMs: webLimits.fetchMs,
    }),
  );
  if ('value' in outcome) return outcome.value;
  const { code, message, detail } = outcome.fault;
  const certainty = isQuestion && outcome.certainty === 'outcome_unknown' ? 'completed' : outcome.certainty;
  throw new ToolFault(certainty, withReason(message, detail), { code });
}

async function shown(
  reader: PageReader,
  answer: WebAnswer,
  page: PageText,
  signal: AbortSignal,
): Promise<FetchedPage> {
  const reading =
    page.kind === 'html'
      ? await reader.read<'page'>({ kind: 'page', html: page.text, url: answer.url }, signal)
      : undefined;
  const markdown = reading?.ok === true ? reading.value.markdown : page.text;
  const units = (reading?.ok === true ? reading.value.wholeUnits : undefined) ?? markdown.length;
  const title = reading?.ok === true ? reading.value.title.slice(0, webLimits.titleMax).toWellFormed() : '';
  const notes = [
    ...(reading?.ok === false
      ? [`could not be made readable, because ${reading.reason}: its source follows`]
      : []),
    ...(answer.isCut ? [`is longer than ${webLimits.pageMaxBytes} bytes: only these were read`] : []),
  ];
  const kept = beginning(markdown, webLimits.shownMax);
  const isLong = kept.length < units;
  const lines = [
    `[${answer.status}] ${answer.url}`,
    ...notes.map((note) => `[The page ${note}.]`),
    ...(title === '' || kept.includes(`# ${title}`) ? [] : [`# ${title}`]),
    kept,
    ...(isLong ? [`[${units - kept.length} of ${units} characters are left out here.]`] : []),
  ];
  const { status, url } = answer;
  return {
    text: lines.filter((line) => line !== '').join('\n\n'),
    data: {
      ...{ status, url, type: page.type, cut: isLong || answer.isCut },
      ...(title === '' ? {} : { title }),
    },
  };
}

/** Never half a character. */
function beginning(text: string, max: number): string {
  if (text.length <= max) return text;
  const last = text.charCodeAt(max - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? max - 1 : max);
}

function binaryWords({ type }: PageText, { body, isCut }: WebAnswer): string {
  const size = isCut ? `more than ${body.length} bytes` : `${body.length} bytes`;
  return `${type === '' ? 'no type was said' : type}, ${size}`;
}

/** What was sent says what it is, where nobody does. */
function typeOfBody(body: string): string {
  try {
    JSON.parse(body);
    return 'application/json';
  } catch {
    return 'text/plain; charset=utf-8';
  }
}

function headerOf({ headers }: WebAnswer, name: string): string {
  const value = headers[name];
  return typeof value === 'string' ? value : '';
}

function withReason(message: string, detail: unknown): string {
  const reason = typeof detail === 'object' && detail !== null ? Reflect.get(detail, 'reason') : undefined;
  return typeof reason === 'string' ? `${message} (${reason})` : message;
}
