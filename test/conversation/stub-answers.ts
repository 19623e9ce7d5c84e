import type { JsonObject } from '@fairlead/base';
import {
  openAiDelta,
  openAiStream,
  type StubAnswer,
  stream,
} from '../../packages/host/test/models/model-stub.ts';

/** A reply of a stub that speaks the OpenAI API: some words, then calls as name and arguments. */
export function replies(
  text: string,
  ...calls: readonly (readonly [tool: string, args: JsonObject])[]
): StubAnswer {
  const asked = calls.map(([name, args], index) =>
    openAiDelta({
      tool_calls: [
        { index, id: `c${index}`, type: 'function', function: { name, arguments: JSON.stringify(args) } },
      ],
    }),
  );
  const finish = openAiDelta({}, calls.length > 0 ? 'tool_calls' : 'stop');
  return stream(openAiStream(openAiDelta({ content: text }), ...asked, finish));
}

/** The back end `local` over a stub, in TOML. */
export function stubBackend(url: string, more = ''): string {
  return `
[[backends]]
name = "local"
type = "openai_compatible"
base_url = "${url}/v1"
max_retries = 0
${more}
[[backends.models]]
name = "tiny"
`;
}
