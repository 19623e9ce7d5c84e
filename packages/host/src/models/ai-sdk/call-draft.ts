import { isJsonObject, type JsonObject, parseJson } from '@fairlead/base';
import { modelLimits } from '../../limits.ts';
import { type CallPart, ModelFault, type ModelMetadata } from '../model.ts';

/** The calls of a reply, held back until it is whole: half a reply runs nothing. */
export class CallDrafts {
  readonly #drafts = new Map<string, { name: string; text: string; metadata?: ModelMetadata }>();

  begin(id: string, name: string): void {
    this.#require(id, name);
    this.#drafts.set(id, { name, text: '' });
  }

  add(id: string, delta: string): void {
    const draft = this.#drafts.get(id);
    if (draft !== undefined) draft.text += delta;
  }

  /** The whole text of a call's arguments. */
  complete(id: string, name: string, text: string, metadata: ModelMetadata | undefined): void {
    this.#require(id, name);
    this.#drafts.set(id, { name, text, ...(metadata === undefined ? {} : { metadata }) });
  }

  /** In the order that they were begun; one that never ended has the text that came of it. */
  parts(): readonly CallPart[] {
    return [...this.#drafts].map(([id, { name, text, metadata }]) => {
      const given = argumentsIn(text);
      if (given === null) return { type: 'call', id, name, unparsable: text.toWellFormed() };
      return { type: 'call', id, name, arguments: given, ...(metadata === undefined ? {} : { metadata }) };
    });
  }

  #require(id: string, name: string): void {
    if (
      this.#drafts.size >= modelLimits.calls ||
      id.length > modelLimits.callName ||
      name.length > modelLimits.callName
    )
      throw new ModelFault('model_reply_invalid', { retryable: true, what: 'its calls pass their bounds' });
  }
}

/** The arguments, or null where the text is no JSON object within its bounds. None at all is how some say that there are none. */
function argumentsIn(text: string): JsonObject | null {
  if (text.trim() === '') return {};
  const parsed = parseJson(Buffer.from(text), modelLimits.arguments);
  return parsed.ok && isJsonObject(parsed.value) ? parsed.value : null;
}
