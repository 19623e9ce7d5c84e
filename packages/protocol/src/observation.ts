import { canonicalJson, type JsonObject, sha256Base64url } from '@fairlead/base';

/**
 * The digest of one tool's whole definition, as it was received: 43 base64url characters, the same for every order of
 * keys (docs/reference/native-plugin-protocol.md §14). The definition's depth must be bounded already.
 */
export function toolObservation(definition: JsonObject): string {
  return sha256Base64url(`fairlead tool observation v1\n${canonicalJson(definition)}`);
}
