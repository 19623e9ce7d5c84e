import { defineTool, errorResult, schema, type ToolResult, textResult } from '@fairlead/plugin-sdk';
import { type GitFailure, type GitStatusOptions, gitStatus } from './git-status.ts';
import { BRANCH_MAX_BYTES, HEAD_MAX_BYTES, STATUS_MAX_BYTES } from './limits.ts';
import { type RepositoryState, readPorcelain } from './porcelain.ts';

const FAILURES: Readonly<Record<GitFailure, string>> = {
  not_git_repository: 'The folder this plugin runs in is not in a Git repository.',
  git_not_found: 'There is no git on the PATH of this plugin.',
  git_timeout: 'Git took too long; nothing is known about the repository.',
  git_output_too_large: 'Git had more to say than is reported; no part of it is shown.',
  git_failed: 'Git could not tell the state of the repository.',
};

const output = schema.object({
  branch: schema.string({ maxLength: BRANCH_MAX_BYTES, description: 'Empty when the head is detached.' }),
  head: schema.string({ maxLength: HEAD_MAX_BYTES, description: 'The commit; empty before the first one.' }),
  detached: schema.boolean(),
  dirty: schema.boolean({ description: 'Whether anything differs from the head, untracked files included.' }),
  status: schema.string({
    maxLength: STATUS_MAX_BYTES,
    description: 'A line per path, as git status --short.',
  }),
  errorCode: schema.string({
    enum: ['', 'not_git_repository', 'git_not_found', 'git_timeout', 'git_output_too_large', 'git_failed'],
    description: 'Empty when all is known; else nothing is.',
  }),
});

/** The tool `git_summary`, which looks at one folder and takes no arguments. */
export function gitSummaryTool(options: GitStatusOptions) {
  return defineTool({
    name: 'git_summary',
    title: 'Git summary',
    description:
      'Branch, head commit and changed paths of the Git repository that this plugin runs in. Only looks: writes nothing, fetches nothing, takes no path.',
    inputSchema: schema.object({}),
    outputSchema: output,
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    execute: () => gitSummary(options),
  });
}

interface GitSummary extends RepositoryState {
  readonly dirty: boolean;
  readonly errorCode: '' | GitFailure;
}

async function gitSummary(options: GitStatusOptions): Promise<ToolResult<GitSummary>> {
  const told = await gitStatus(options);
  if (!told.ok) return refused(told.failure);
  const state = readPorcelain(told.output);
  if (state === null) return refused('git_failed');
  if (exceeds(state.status, STATUS_MAX_BYTES) || exceeds(state.branch, BRANCH_MAX_BYTES)) {
    return refused('git_output_too_large');
  }
  const { branch, head, detached, status } = state;
  return textResult(sentence(state), { branch, head, detached, dirty: status !== '', status, errorCode: '' });
}

function refused(errorCode: GitFailure): ToolResult<GitSummary, true> {
  const nothing = { branch: '', head: '', detached: false, dirty: false, status: '' };
  return errorResult(FAILURES[errorCode], { ...nothing, errorCode });
}

function exceeds(text: string, maxBytes: number): boolean {
  return Buffer.byteLength(text) > maxBytes;
}

function sentence({ branch, head, detached, status }: RepositoryState): string {
  const where = detached ? 'Detached head' : `Branch ${branch}`;
  const at = head === '' ? 'before its first commit' : `at ${head.slice(0, 12)}`;
  const count = status === '' ? 0 : status.split('\n').length;
  const changes = count === 0 ? 'clean' : `${count} changed or untracked ${count === 1 ? 'path' : 'paths'}`;
  return printable(`${where} ${at}: ${changes}.`);
}

// A branch name may hold control characters of the upper range, which a result's text may not.
function printable(text: string): string {
  return text.replace(/\p{Cc}/gu, '?');
}
