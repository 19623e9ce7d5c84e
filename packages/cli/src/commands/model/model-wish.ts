import { resolve } from 'node:path';
import type { NewBackend } from '@fairlead/host';
import { cliError } from '../../cli-error.ts';
import type { CommandContext } from '../../command-context.ts';
import { openQuestions, type Questions } from '../../output/questions.ts';
import { UsageError } from '../../usage-error.ts';

const modelTypes = ['openai_compatible', 'anthropic', 'scripted'] as const;
type ModelType = (typeof modelTypes)[number];

/** What the flags of `model add` say; what they leave open is asked at a terminal. */
export type ModelWishFlags = {
  readonly name?: string;
  readonly type?: ModelType;
  readonly baseUrl?: string;
  readonly model?: string;
  readonly apiKeyEnv?: string;
  readonly file?: string;
  readonly contextWindow?: number;
};

/** What somebody may leave empty, by type. */
const suggestions: Readonly<
  Record<ModelType, { readonly name: string; readonly url: string; readonly variable: string }>
> = {
  openai_compatible: { name: 'local', url: 'http://127.0.0.1:11434/v1', variable: '' },
  anthropic: { name: 'claude', url: '', variable: 'ANTHROPIC_API_KEY' },
  scripted: { name: 'demo', url: '', variable: '' },
};

/**
 * The back end that somebody wants: from flags, and where they do not say enough from questions at a terminal. Throws a usage error
 * where nobody can be asked, `key_not_reference` for a key in the place of its variable.
 */
export async function modelWish(context: CommandContext, flags: ModelWishFlags): Promise<NewBackend> {
  const isWhole =
    flags.type === 'scripted'
      ? flags.file !== undefined
      : flags.type !== undefined &&
        flags.model !== undefined &&
        (flags.type === 'anthropic' || flags.baseUrl !== undefined);
  if (isWhole) return backendOf(context, flags);
  const questions = openQuestions(context);
  if (questions === null)
    throw new UsageError(
      'Nobody can be asked here: give --type with --base-url and --model (openai_compatible), --model (anthropic), or --file (scripted).',
    );
  await using open = questions;
  return backendOf(context, await askFor(open, flags));
}

async function askFor(questions: Questions, flags: ModelWishFlags): Promise<ModelWishFlags> {
  const ask = async (question: string, fallback?: string) => {
    const answer = await questions.ask(question, fallback);
    if (answer === null) throw new UsageError('The questions ended before the answers; nothing was written.');
    return answer;
  };
  const type = flags.type ?? typeOf(await ask(`type: ${modelTypes.join(', ')}`, 'openai_compatible'));
  const suggested = suggestions[type];
  const name = flags.name ?? (await ask('name of the back end', suggested.name));
  if (type === 'scripted')
    return { ...flags, type, name, file: flags.file ?? (await ask('file of the script')) };
  const baseUrl =
    flags.baseUrl ?? (type === 'anthropic' ? undefined : await ask('address of its API', suggested.url));
  const model = flags.model ?? (await ask('model, as the server calls it'));
  const question = `environment variable that holds the key${type === 'anthropic' ? '' : ' (empty: none)'}`;
  const apiKeyEnv = flags.apiKeyEnv ?? (await ask(question, suggested.variable));
  return {
    ...flags,
    ...{ type, name, model },
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...(apiKeyEnv === '' ? {} : { apiKeyEnv }),
  };
}

function typeOf(word: string): ModelType {
  const type = modelTypes.find((one) => one === word);
  if (type === undefined) throw new UsageError(`The type is one of ${modelTypes.join(', ')}.`);
  return type;
}

function backendOf(context: CommandContext, wish: ModelWishFlags): NewBackend {
  const { type = 'openai_compatible', baseUrl, model, file, contextWindow } = wish;
  const name = wish.name ?? suggestions[type].name;
  if (type === 'scripted') {
    // From the folder of `fairlead.toml` a relative path would mean another file.
    return { name, type, file: resolve(context.cwd, file ?? '') };
  }
  const apiKeyEnv = wish.apiKeyEnv ?? (type === 'anthropic' ? suggestions.anthropic.variable : undefined);
  if (apiKeyEnv !== undefined) requireReference(apiKeyEnv, context.env);
  return {
    name,
    type,
    ...(baseUrl === undefined ? {} : { base_url: baseUrl }),
    ...(apiKeyEnv === undefined ? {} : { api_key_env: apiKeyEnv }),
    models: [
      { name: model ?? '', ...(contextWindow === undefined ? {} : { context_window: contextWindow }) },
    ],
  };
}

/** What is no name, or is a name that no shell user gives and that no variable has, is the key itself; it is not repeated. */
function requireReference(word: string, env: CommandContext['env']): void {
  const isName = /^[A-Za-z_][A-Za-z0-9_]{0,255}$/.test(word);
  const looksLikeKey = word.length >= 20 && /[a-z]/.test(word) && /\d/.test(word) && env[word] === undefined;
  if (!isName || looksLikeKey) throw cliError('key_not_reference');
}
