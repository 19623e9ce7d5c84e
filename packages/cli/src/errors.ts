import { defineErrors } from '@fairlead/base';

/** The codes that the command itself raises. */
export const cliErrors = defineErrors({
  usage: {
    message: 'the command line cannot be understood',
    next: 'read `fairlead help COMMAND`',
  },
  token_missing: {
    message: 'no token was given and none was found',
    next: 'give --token-file FILE, set FAIRLEAD_TOKEN, or start a host here with `fairlead up`, which writes an operator token',
  },
  token_file_unreadable: {
    message: 'the token file cannot be read',
    next: 'check the path and who may read it',
  },
  token_malformed: {
    message: 'the token holds characters that no token has',
    next: 'copy the token again; it is one line that begins with fairlead_pat_',
  },
  runner_token_refused: {
    message: 'this is a Runner token; it opens the Runner link and nothing else',
    next: 'use a personal token: `fairlead token create --name NAME --scopes SCOPES`',
  },
  server_url_invalid: {
    message: 'the server address is not a URL that can be called',
    next: 'give --server-url http://127.0.0.1:7420, or the address that `fairlead up` printed',
  },
  server_unreachable: {
    message: 'no server answers at that address; nothing was sent',
    next: 'start one with `fairlead up`, or give its address with --server-url',
  },
  answer_lost: {
    message: 'the request was sent, and no whole answer came back',
    next: 'for a call, check or reload the outcome may be unknown: look at the state with `fairlead plugin list` before you decide to do it again',
  },
  state_directory_in_use: {
    message: 'another process owns this state directory',
    next: 'use the address it printed, stop it with `fairlead stop`, or give another folder with --state-dir',
  },
  state_directory_unwritable: {
    message: 'the state directory cannot be made or written',
    next: 'give a folder that you own with --state-dir or FAIRLEAD_STATE_DIR',
  },
  not_running: {
    message: 'no host runs on this state directory',
    next: 'start one with `fairlead up`',
  },
  stop_failed: {
    message: 'the host did not stop in time',
    next: 'end the process whose number stands in server.json',
  },
  arguments_unreadable: {
    message: 'the arguments are not a JSON object',
    next: 'give --arguments as JSON, as @FILE, or as - to read standard input',
  },
  examples_missing: {
    message: 'there are no example plugins beside this command',
    next: 'leave out --examples, and write a runner.toml of your own',
  },
  secret_key_invalid: {
    message: 'secret.key in the state directory cannot be used',
    next: 'restore the file from a backup, or move it away: a new one is made, and digests in the journal no longer compare with old ones',
  },
  runner_id_missing: {
    message: 'runner.toml has no client_id',
    next: 'add `client_id = "NAME"`, the id that the Runner token was made for',
  },
  runner_token_missing: {
    message: 'no Runner token was given and none was found',
    next: 'make one on the gateway with `fairlead token create --runner ID`, then give --token-file FILE or set FAIRLEAD_RUNNER_TOKEN',
  },
  server_url_missing: {
    message: 'no gateway was named',
    next: 'give --server-url URL, or write server_url into runner.toml',
  },
  unexplained: {
    message: 'the server refused without giving a reason',
    next: 'see whether the server is of the same version as this command, then read its log',
  },
  internal_error: {
    message: 'something went wrong inside Fairlead',
    next: 'run it again with FAIRLEAD_DEBUG=1 and report what it prints',
  },
});
