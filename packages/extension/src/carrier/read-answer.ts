import { readCarriedOutput } from '../contracts/tool-output.ts';
import { type ExtensionErrorCode, extensionError } from '../errors.ts';
import type { Json } from '../json/json.ts';
import { plainJson } from '../json/plain-json.ts';
import type { EndpointKind } from './carrier.ts';

/**
 * What came back over a port for a call. The guest runtime on the other side has given it its form; code that speaks in the
 * runtime's place has not, so it is read once more here. Throws with `completed`, because the handler has ended. What a hook, a
 * prompt, a tail or a status answers is read by whoever fires it, in every tier.
 */
export function readAnswer(endpoint: EndpointKind, value: Json): Json {
  switch (endpoint) {
    case 'tool': {
      const read = readCarriedOutput(value);
      if (!read.ok) throw garbage('tool_output_invalid', read.message);
      return read.output as unknown as Json;
    }
    case 'command':
      return bounded(value, 'command_failed');
    case 'cap':
      return bounded(value, 'cap_failed');
    case 'routine':
      return null;
    default:
      return value;
  }
}

function bounded(value: Json, code: ExtensionErrorCode): Json {
  const plain = plainJson(value);
  if (!plain.ok) throw garbage(code, `its answer${plain.path} ${plain.message}`);
  return plain.value;
}

function garbage(code: ExtensionErrorCode, detail: string): Error {
  return extensionError(code, detail, { certainty: 'completed' });
}
