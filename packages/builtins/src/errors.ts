import { defineErrors } from '@fairlead/base';
import { type Certainty, type JsonObject, ToolFault } from '@fairlead/extension';

/** Why a tool of a built-in did not do what it was asked for. */
export const builtinErrors = defineErrors({
  file_not_found: {
    message: 'There is no file of this path.',
    next: 'Look at the names in the folder; a relative path is meant from the workspace.',
  },
  file_not_regular: {
    message: 'The path leads to something that is no regular file; it was not opened.',
    next: 'Name a file: folders, links, pipes, sockets and devices are neither read nor written.',
  },
  file_unavailable: {
    message: 'The system did not let the file be opened, read or written.',
    next: 'Look at the reason in parentheses: permissions of the file and its folder, room on the disk.',
  },
  file_too_large: {
    message: 'The file is larger than this tool handles.',
    next: 'Work on it with a command, or name a range nearer to its start.',
  },
  file_not_text: {
    message: 'The file is not UTF-8; an edit would change bytes that it was not asked to change.',
    next: 'Change it with a command that handles its encoding.',
  },
  file_changed: {
    message: 'Somebody else changed the file while it was being edited; nothing was written.',
    next: 'Read it again, and edit what stands there now.',
  },
  edits_invalid: {
    message: 'An edit is either old_text and new_text, or a list of them in edits.',
    next: 'Give one of the two.',
  },
  edit_not_found: {
    message: 'The old text does not occur in the file; nothing was written.',
    next: 'Read the file, and copy the text with every space as it stands.',
  },
  edit_not_unique: {
    message: 'The old text occurs more than once in the file; nothing was written.',
    next: 'Take in more of what stands around it.',
  },
  edits_overlap: {
    message: 'Two edits change the same place of the file; nothing was written.',
    next: 'Make one edit of both.',
  },
  expression_invalid: {
    message: 'The expression is not one that can be calculated.',
    next: 'Use numbers, + - * / ^ %, parentheses, comparisons and the functions that the tool names.',
  },
  summary_empty: {
    message: 'A summary without words would leave nothing; it was not written.',
    next: 'Write down what has to be remembered.',
  },
  command_empty: {
    message: 'The command has no word.',
    next: 'Give a command.',
  },
  command_not_found: {
    message: 'There is no such program where this command looks for it; nothing was started.',
    next: 'Look at the name and at PATH; in the sandbox only programs of the system and of what may be read are seen.',
  },
  command_not_started: {
    message: 'The system did not start the command.',
    next: 'Look at the reason in parentheses.',
  },
  command_killed: {
    message: 'The command was killed before it had ended.',
    next: 'Look at what it touches before it is given again.',
  },
  folder_not_found: {
    message: 'There is no such folder for the command to run in; nothing was started.',
    next: 'Name a folder that exists; a relative one is meant from the workspace.',
  },
  sandbox_unavailable: {
    message: 'The grants limit what a command may touch, and nothing on this machine can hold it to that.',
    next: 'Install bubblewrap (Linux), or take the limit out of the grants.',
  },
  sandbox_failed: {
    message: 'The sandbox could not be made; nothing was started.',
    next: 'Look at the reason: bubblewrap needs user namespaces, and folders that are granted must not be moved meanwhile.',
  },
  page_not_text: {
    message: 'The answer is no text; nothing of it is shown.',
    next: 'Look at the type in parentheses; download it with a command where that is granted.',
  },
  page_body_unwanted: {
    message: 'A request that only reads takes no body; nothing was sent.',
    next: 'Leave the body out, or name the method that takes it.',
  },
  search_key_missing: {
    message:
      'A search engine needs a key, and the variable that its `api_key_env` names is empty or unnamed.',
    next: 'Set the variable for the host, or take the engine out of `[[web.search]]`.',
  },
  search_unavailable: {
    message: 'No search engine answered.',
    next: 'Look at what each one said: 401 and 403 are its key, 429 and 202 too many searches; try later.',
  },
  search_answer_invalid: {
    message: 'A search engine answered something that no results can be read from.',
    next: 'Try again later; where it stays so, name another engine in `[[web.search]]`.',
  },
  skills_line_incomplete: {
    message: 'The line does not say everything that it needs.',
    next: 'Type `/skills show NAME`, `/skills trust NAME --digest D`, or `/skills` alone for the list.',
  },
  schedule_time_invalid: {
    message: 'The time of the schedule cannot be read; nothing was planned.',
    next: 'Give one of a cron pattern, seconds between, or a moment with its offset.',
  },
  schedule_agent_unknown: {
    message: 'No agent is here that this could plan for.',
    next: 'Name an agent of this host, or attach one to the session.',
  },
  schedule_line_incomplete: {
    message: 'The line does not say everything that it needs.',
    next: 'Type `/schedule add ID "0 9 * * 1-5" TASK`, or `/schedule remove ID`.',
  },
  memory_agent_unknown: {
    message: 'No agent is here whose memory this could be.',
    next: 'Name an agent of this host, or attach one to the session.',
  },
  memory_line_invalid: {
    message: 'The line does not say what it needs, or not so that it can be read.',
    next: 'Mend what stands in parentheses; `/help memory` has the forms.',
  },
});

export type BuiltinErrorCode = keyof typeof builtinErrors;

/** The fault of a tool: the table's sentence, and behind it what is safe to show of this case. */
export function toolFault(
  certainty: Certainty,
  code: BuiltinErrorCode,
  reason = '',
  more: { readonly cause?: unknown; readonly detail?: JsonObject } = {},
): ToolFault {
  const { message } = builtinErrors[code];
  return new ToolFault(certainty, reason === '' ? message : `${message} (${reason})`, { ...more, code });
}

/** What the host refuses, with its code and in its words; nothing has been touched then. */
export async function allowed<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (thrown) {
    const message = thrown instanceof Error ? thrown.message : 'the host refused it';
    const code = thrown instanceof Error ? Reflect.get(thrown, 'code') : undefined;
    throw new ToolFault('not_started', message, {
      cause: thrown,
      ...(typeof code === 'string' ? { code } : {}),
    });
  }
}

/** The system's own code of an error, such as EACCES. */
export function systemCode(thrown: unknown): string {
  const code = thrown instanceof Error ? Reflect.get(thrown, 'code') : undefined;
  return typeof code === 'string' ? code : 'unknown';
}
