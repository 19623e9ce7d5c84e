import { defineExtension } from '@fairlead/extension';
import { injectionSigns } from './injection-signs.ts';

/** Logs what in the text of a tool looks like an instruction to the model. It changes nothing: a page about prompts has such words too. */
export const securityWarnings = defineExtension({
  name: 'security_warnings',
  version: '1.0.0',
  on: {
    toolResult({ tool, owner, text }, ctx): void {
      const signs = injectionSigns(text);
      if (signs.length === 0) return;
      const kinds = signs.map(({ kind }) => kind).join(', ');
      ctx.log.warn(`the result of ${tool} looks like an instruction: ${kinds}`, {
        tool,
        owner,
        signs: signs.map(({ kind, snippet }) => ({ kind, snippet })),
      });
    },
  },
});
