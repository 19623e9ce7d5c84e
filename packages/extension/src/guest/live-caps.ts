import type { Ask } from '../carrier/ask.ts';
import type { CallRequest } from '../carrier/carrier.ts';
import { extensionError } from '../errors.ts';
import type { Json } from '../json/json.ts';
import { plainJson } from '../json/plain-json.ts';
import { CAP_MAX_DEPTH } from '../limits.ts';
import type { Surroundings } from './instance.ts';

/**
 * `ctx.caps`: for each alias its methods, or `undefined` for an optional cap that nobody provides here. A required one that is
 * missing all the same (its provider went away after the call began) answers `cap_unavailable`.
 */
export function capsOf(
  { uses }: Surroundings,
  request: CallRequest,
  question: (ask: Ask) => Promise<Json>,
): object {
  const caps: Record<string, object | undefined> = {};
  for (const [alias, cap] of Object.entries(uses)) {
    const provided = Object.hasOwn(request.context.caps, alias) ? request.context.caps[alias] : undefined;
    caps[alias] =
      provided === undefined && cap.isOptional
        ? undefined
        : methodsOf(alias, cap.methods, provided ?? [], request, question);
  }
  return Object.freeze(caps);
}

function methodsOf(
  alias: string,
  methods: readonly string[],
  provided: readonly string[],
  request: CallRequest,
  question: (ask: Ask) => Promise<Json>,
): object {
  const calls = methods.map((method) => [
    method,
    async (input: unknown): Promise<Json> => {
      if (!provided.includes(method)) throw extensionError('cap_unavailable', `${alias}.${method}`);
      if ((request.context.depth ?? 0) >= CAP_MAX_DEPTH) throw extensionError('cap_depth_exceeded');
      const plain = plainJson(input ?? null);
      if (!plain.ok) throw extensionError('cap_failed', `the input of ${alias}.${method} ${plain.message}`);
      return question({ op: 'cap.call', call: request.call, alias, method, input: plain.value });
    },
  ]);
  return Object.freeze(Object.fromEntries(calls));
}
