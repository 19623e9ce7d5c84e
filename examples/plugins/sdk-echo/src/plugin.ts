import { definePlugin, defineTool, errorResult, runPlugin, schema, textResult } from '@fairlead/plugin-sdk';

// A result's text may hold no control character but tab and line ends: one more, and the Runner retires the plugin.
const FORBIDDEN_IN_TEXT = /[^\P{Cc}\t\n\r]/u;

const echo = defineTool({
  name: 'echo',
  title: 'Echo',
  description: 'Answers with the text that it was given.',
  inputSchema: schema.object({
    text: schema.string({ minLength: 1, maxLength: 4096, description: 'What to say again.' }),
  }),
  outputSchema: schema.object({ text: schema.string({ maxLength: 4096 }) }),
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  execute({ text }) {
    if (FORBIDDEN_IN_TEXT.test(text)) return errorResult('The text holds a control character.', { text: '' });
    return textResult(text, { text });
  },
});

runPlugin(definePlugin({ tools: [echo] }));
