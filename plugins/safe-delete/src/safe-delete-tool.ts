import { defineTool, errorResult, schema, type ToolResult, textResult } from '@fairlead/plugin-sdk';
import { type SafeDeleteErrorCode, safeDeleteErrors } from './errors.ts';
import { ERROR_CODE_MAX_CHARACTERS, PATH_MAX_CHARACTERS } from './limits.ts';
import { type SafeDeleteOptions, type SafeDeletion, safeDelete } from './safe-delete.ts';
import type { BackendName } from './trash-backend.ts';

const output = schema.object({
  outcome: schema.string({
    enum: ['trashed', 'already_absent', 'rejected', 'failed', 'unknown'],
    description: 'unknown: it may be in the trash or not; look before trying again.',
  }),
  path: schema.string({ maxLength: PATH_MAX_CHARACTERS, description: 'As it was given.' }),
  backend: schema.string({
    enum: ['none', 'freedesktop', 'gio', 'trash-put', 'foundation', 'powershell'],
    description: 'What moved it, or tried to; none when nothing was tried.',
  }),
  errorCode: schema.string({
    maxLength: ERROR_CODE_MAX_CHARACTERS,
    description: 'Empty when trashed or already_absent.',
  }),
});

interface Answer {
  readonly outcome: 'trashed' | 'already_absent' | 'rejected' | 'failed' | 'unknown';
  readonly path: string;
  readonly backend: 'none' | BackendName;
  readonly errorCode: '' | SafeDeleteErrorCode;
}

/** The tool `safe_delete`. */
export function safeDeleteTool(options: SafeDeleteOptions) {
  return defineTool({
    name: 'safe_delete',
    title: 'Move to trash',
    description:
      'Moves one file or folder inside the folder that this plugin runs in to the trash of this machine, from where a person can take it back. Never deletes for good, never follows a symbolic link. A path that names nothing is a success.',
    inputSchema: schema.object({
      path: schema.string({
        minLength: 1,
        maxLength: PATH_MAX_CHARACTERS,
        description: 'Relative to the folder that this plugin runs in, without "..".',
      }),
    }),
    outputSchema: output,
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
    execute: ({ path }) => answered(path, options),
  });
}

// The Runner has checked the arguments. Whoever calls without one gets the code for a bad path all the same.
async function answered(path: unknown, options: SafeDeleteOptions): Promise<ToolResult<Answer>> {
  const text = typeof path === 'string' ? path : '';
  return resultOf(await safeDelete(text, options), echoed(text));
}

// A path that the result's own schema or JSON would not hold is not echoed.
function echoed(path: string): string {
  return path.isWellFormed() && [...path].length <= PATH_MAX_CHARACTERS ? path : '';
}

function resultOf(deletion: SafeDeletion, path: string): ToolResult<Answer> {
  if (deletion.outcome === 'trashed') {
    const { outcome, backend } = deletion;
    return textResult('Moved to the trash.', { outcome, path, backend, errorCode: '' });
  }
  if (deletion.outcome === 'already_absent') {
    const { outcome } = deletion;
    return textResult('Nothing has that name; nothing was done.', {
      outcome,
      path,
      backend: 'none',
      errorCode: '',
    });
  }
  const { code, backend } = deletion;
  const { outcome, message, next } = safeDeleteErrors[code];
  return errorResult(`${message} ${next}`, { outcome, path, backend: backend ?? 'none', errorCode: code });
}
