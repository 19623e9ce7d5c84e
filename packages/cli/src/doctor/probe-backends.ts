import { FairleadError } from '@fairlead/base';
import { type Backend, type BackendTables, Models } from '@fairlead/host';
import { sendOnce } from '../client/api-client.ts';
import type { CommandContext } from '../command-context.ts';
import { readModelFile } from '../host/model-file.ts';
import { answerTimeoutMs } from '../limits.ts';
import type { SeenBackend } from './backends.ts';

/** Asks each back end one thing, without its key, and reads each script. */
export async function seeBackends(
  context: Pick<CommandContext, 'env' | 'clock'>,
  tables: BackendTables,
  folder: string,
): Promise<readonly SeenBackend[]> {
  const { env, clock } = context;
  const models = new Models({ tables, folder, env, clock, readFile: readModelFile });
  return await Promise.all(
    tables.backends.map(async (backend): Promise<SeenBackend> => {
      const { name } = backend;
      if (backend.type === 'scripted') {
        const answer = await script(models, `${name}/${backend.models[0]?.name}`);
        return { name, place: backend.file, key: null, answer };
      }
      const variable = backend.apiKeyEnv;
      const key = variable === undefined ? null : { variable, isSet: (env[variable]?.trim() ?? '') !== '' };
      return { name, place: backend.baseUrl, key, answer: await reach(context, backend) };
    }),
  );
}

async function script(models: Models, ref: string): Promise<SeenBackend['answer']> {
  try {
    await models.resolve(ref).load();
    return { kind: 'script' };
  } catch (error) {
    if (!(error instanceof FairleadError)) throw error;
    return { kind: 'none', code: 'script_invalid', reason: error.message };
  }
}

async function reach(
  { clock }: Pick<CommandContext, 'clock'>,
  { baseUrl }: Exclude<Backend, { readonly type: 'scripted' }>,
): Promise<SeenBackend['answer']> {
  let status: number | null = null;
  const answer = await sendOnce({
    clock,
    serverUrl: baseUrl,
    path: '/models',
    method: 'GET',
    timeoutMs: answerTimeoutMs.health,
    onHead: (seen) => {
      status = seen;
    },
  });
  if (status !== null) return { kind: 'http', status };
  const reason = 'reason' in answer ? answer.reason : 'no answer';
  return { kind: 'none', code: 'model_unreachable', reason };
}
