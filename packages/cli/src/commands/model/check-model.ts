import { type BackendTables, Models } from '@fairlead/host';
import type { CommandContext } from '../../command-context.ts';
import { readModelFile } from '../../host/model-file.ts';
import { modelCheckLimits } from '../../limits.ts';
import { withProgress } from '../../output/progress.ts';
import { untilInterrupted } from '../../process/until-interrupted.ts';

/** Asks a model for a word, or, of a scripted one, reads its file. Answers what it said. Rejects with the fault of the model. */
export async function checkModel(
  context: CommandContext,
  { tables, folder, ref }: { readonly tables: BackendTables; readonly folder: string; readonly ref: string },
): Promise<string> {
  const { env, clock } = context;
  const host = new Models({ tables, folder, env, clock, readFile: readModelFile }).resolve(ref);
  if (host.type === 'scripted') {
    await host.load();
    return '';
  }
  return await withProgress(context, `waiting for ${ref}`, () =>
    untilInterrupted(async (signal) => {
      let said = '';
      const request = {
        messages: [{ role: 'user', text: 'Answer with the one word: ready' }],
        tools: [],
        maxTokens: modelCheckLimits.tokens,
        signal,
        meta: { session: 'check', agent: 'check', turn: 0, step: 0, attempt: 0 },
      } as const;
      for await (const part of host.model.stream(request)) if (part.type === 'text') said += part.delta;
      return said.trim();
    }),
  );
}
