import { dirname } from 'node:path';
import { type BackendLine, Models } from '@fairlead/host';
import type { CommandContext } from '../../command-context.ts';
import { exitCodes } from '../../exit-codes.ts';
import { loadHostConfig } from '../../host/host-config.ts';
import { readModelFile } from '../../host/model-file.ts';
import { commandHint } from '../../output/command-hint.ts';
import { jsonLine } from '../../output/safe-text.ts';
import { table } from '../../output/table.ts';
import { resolveStateDirectory } from '../../state/state-directory.ts';

/** `fairlead model list`: the models of `fairlead.toml`, and whether the variable of each key is set here. Asks nobody. */
export async function modelList(
  context: CommandContext,
  flags: { readonly stateDir?: string; readonly config?: string; readonly json?: boolean },
): Promise<number> {
  const stateDirectory = resolveStateDirectory({ flag: flags.stateDir, ...context });
  const { tables, path } = await loadHostConfig(context, stateDirectory, flags);
  const { env, clock } = context;
  const models = new Models({
    tables: tables.backends,
    folder: dirname(path),
    env,
    clock,
    readFile: readModelFile,
  });
  const lines = models.list();
  const preferred = models.default ?? null;
  if (flags.json === true) {
    const backends = lines.map((line) => ({ ...line, models: line.models.map((model) => ({ ...model })) }));
    context.stdout(jsonLine({ default: preferred, backends }));
    return exitCodes.done;
  }
  if (lines.length === 0) {
    const { command, stateFlag } = commandHint(context, stateDirectory);
    context.stdout(`there is no model; add one with: ${command} model add${stateFlag}\n`);
    return exitCodes.done;
  }
  const rows = lines.flatMap((line) =>
    line.models.map(({ name, contextWindow, tools }) => {
      const ref = `${line.name}/${name}`;
      const price = line.unpriced.includes(name) ? 'tokens only' : 'priced';
      return [
        ref,
        line.type,
        contextWindow,
        tools ? 'yes' : 'no',
        keyText(line),
        line.type === 'scripted' ? 'free' : price,
        ref === preferred ? 'yes' : '',
      ];
    }),
  );
  context.stdout(table(['MODEL', 'TYPE', 'CONTEXT', 'TOOLS', 'KEY', 'CEILINGS', 'DEFAULT'], rows));
  return exitCodes.done;
}

function keyText({ key }: BackendLine): string {
  return key === 'none' ? 'none needed' : key === 'present' ? 'set' : 'not set here';
}
