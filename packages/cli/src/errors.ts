import { defineErrors } from '@fairlead/base';

/** The codes that the command itself raises. */
export const cliErrors = defineErrors({
  usage: {
    message: 'The command line cannot be understood.',
    next: 'Read `fairlead COMMAND --help`.',
  },
  token_missing: {
    message: 'No token was given and none was found; nothing was sent.',
    next: 'Give --token-file FILE, set FAIRLEAD_TOKEN, or start a host here with `fairlead up`, which writes an operator token.',
  },
  token_file_unreadable: {
    message: 'The token file cannot be read, or holds no token; nothing was sent.',
    next: 'Check the path and who may read it. The file holds the token on one line and nothing else.',
  },
  env_file_unreadable: {
    message: 'The file of --env-file cannot be read, or is larger than 64 KiB; nothing was sent.',
    next: 'Check the path and who may read it. It has lines of NAME=value; FAIRLEAD_TOKEN and FAIRLEAD_PAT of it are used.',
  },
  proxy_invalid: {
    message: 'The proxy is not an http or https address; nothing was sent.',
    next: 'Give --proxy http://HOST:PORT, or --no-system-proxy to leave HTTP_PROXY, HTTPS_PROXY and ALL_PROXY alone.',
  },
  token_malformed: {
    message: 'The token holds characters that no token has; nothing was sent.',
    next: 'Copy the token again: it is one word that begins with fairlead_pat_.',
  },
  runner_token_refused: {
    message: 'This is a Runner token: it opens the Runner link and nothing else; nothing was sent.',
    next: 'Use a personal token: `fairlead token create --name NAME --scopes SCOPES`.',
  },
  personal_token_refused: {
    message: 'This is a personal token: it does not open the Runner link; nothing was sent.',
    next: 'Make a Runner token on the gateway: `fairlead token create --runner ID`.',
  },
  operator_token_refused: {
    message: 'The host does not take the token that stands in operator.token.',
    next: 'Stop the host with Ctrl-C or by its process number and start it again: it then writes a new one.',
  },
  server_url_invalid: {
    message: 'The server address must be an http or https URL without user name, password or query.',
    next: 'Give --server-url http://127.0.0.1:7420, or the address that `fairlead up` printed.',
  },
  server_unreachable: {
    message: 'No server answers at that address; nothing was sent.',
    next: 'Start one with `fairlead up`, or give its address with --server-url.',
  },
  answer_lost: {
    message: 'The request was sent, and no whole answer came back.',
    next: 'After a call, check or reload look at the present state, with `fairlead plugin list` for one, before you decide to do it again.',
  },
  read_lost: {
    message: 'The question was sent, and no whole answer came back. It only reads, so nothing was changed.',
    next: 'Ask again.',
  },
  access_refused: {
    message: 'Something in front of the gateway refused the request; nothing ran.',
    next: 'Check the address and the token, and what the proxy in between lets through.',
  },
  state_directory_in_use: {
    message: 'Another process owns this state directory.',
    next: 'Use the address above, stop that process with `fairlead stop`, or give another folder with --state-dir.',
  },
  state_directory_unwritable: {
    message: 'The state directory cannot be made or written.',
    next: 'Give a folder that you own with --state-dir or FAIRLEAD_STATE_DIR, and see that its disk has room.',
  },
  nothing_to_back_up: {
    message: 'There is no database in the state directory, so nothing was copied.',
    next: 'Name the state directory with --state-dir or FAIRLEAD_STATE_DIR; `fairlead status` says which one is used.',
  },
  reset_unconfirmed: {
    message: 'Nobody said yes, so nothing was removed.',
    next: 'Make a backup with `fairlead backup DIR`, then give --yes, or type yes where you are asked.',
  },
  destination_not_empty: {
    message: 'The folder is not taken, because it is not an empty ordinary folder. Nothing was written.',
    next: 'Name a folder that does not exist yet, or an empty one.',
  },
  plugin_id_invalid: {
    message: 'This cannot be a plugin’s id; nothing was written.',
    next: 'Give an id of 1 to 64 lower-case letters, digits, `_`, `.` or `-`: for `plugin init` and a folder with --id.',
  },
  plugin_folder_invalid: {
    message: 'The folder holds no plugin; nothing was written.',
    next: 'Name a folder that `fairlead plugin init` made, or give `fairlead plugin add ID -- COMMAND ARGS…`.',
  },
  sdk_not_packed: {
    message: 'The SDK could not be packed beside the new plugin.',
    next: 'Run the command from a clone of Fairlead, where npm is found on PATH; remove the folder before you try again.',
  },
  runner_file_unreadable: {
    message: 'runner.toml cannot be read; nothing was written.',
    next: 'Check who may read it, or name another file with --config.',
  },
  runner_file_not_toml: {
    message: 'runner.toml is not TOML; nothing was written.',
    next: 'Mend the file first: `fairlead plugin check` names the line.',
  },
  provider_id_taken: {
    message: 'runner.toml has a plugin of this id already; nothing was written.',
    next: 'Edit that block, or choose another id.',
  },
  provider_not_appended: {
    message: 'A block at the end of runner.toml would change what stands in it; nothing was written.',
    next: 'Write the providers as [[plugins.providers]] blocks instead of a list on one line, then copy the block in by hand.',
  },
  model_missing: {
    message: 'This host has no model, so no agent can answer; nothing was sent.',
    next: 'Add one with `fairlead model add`; a running host takes it at once where it can.',
  },
  demo_missing: {
    message: 'The script of the demo is not beside this command.',
    next: 'Run the command from a clone of Fairlead: the script is examples/scripts/chat-demo.json there.',
  },
  no_such_session: {
    message: 'No open session has that name.',
    next: 'See `fairlead session list`; `--closed` lists those that are closed.',
  },
  run_lost: {
    message: 'The message was sent, and no whole answer came back: how the turn ended is not known here.',
    next: 'Look at the session that stands above with `fairlead session show` before you say it again.',
  },
  interrupted: {
    message: 'It was broken off.',
    next: 'What it had begun stands in the session: `fairlead session list`.',
  },
  key_not_reference: {
    message: 'That is no name of an environment variable; nothing was written, and it is not repeated here.',
    next: 'Put the key into a variable, such as MY_MODEL_KEY, and give its name. Take it for known where it stood in a command line.',
  },
  backend_not_appended: {
    message: 'A block at the end of fairlead.toml would change what stands in it; nothing was written.',
    next: 'Write the back ends as [[backends]] blocks instead of a list on one line, then run the command again.',
  },
  backend_refused: {
    message: 'With this back end the host would refuse its fairlead.toml; nothing was written.',
    next: 'Mend what the line above names, then run the command again.',
  },
  host_silent: {
    message: 'A process owns the state directory and does not answer.',
    next: 'It may be starting: ask again in a moment. If it stays so, `fairlead doctor` says more.',
  },
  state_directory_unreadable: {
    message: 'The state directory belongs to another user and cannot be read.',
    next: 'Run the command as the user who runs the host, or name your own folder with --state-dir.',
  },
  join_unreachable: {
    message: 'No gateway answers at that address; the code was not used.',
    next: 'Check the address: it is the one by which this machine reaches the gateway, not what the gateway calls itself.',
  },
  runner_file_refused: {
    message: 'With this block the Runner would refuse its runner.toml; nothing was written.',
    next: 'Mend what the line above names, then run the command again.',
  },
  stop_failed: {
    message: 'The host did not stop in time.',
    next: 'End the process whose number stands in server.json of the state directory.',
  },
  arguments_unreadable: {
    message: 'The arguments are not a JSON object; nothing was sent.',
    next: 'Give --arguments as JSON, as @FILE, or as - to read standard input.',
  },
  examples_missing: {
    message: 'There are no example plugins beside this command.',
    next: 'Leave out --examples, and write a runner.toml of your own.',
  },
  secret_key_invalid: {
    message: 'secret.key in the state directory cannot be used.',
    next: 'Restore the file from a backup, or move it away: a new one is made, and digests in the journal no longer compare with old ones.',
  },
  runner_id_missing: {
    message: 'runner.toml has no client_id.',
    next: 'Add `client_id = "NAME"`, the id that the Runner token was made for.',
  },
  runner_token_missing: {
    message: 'No Runner token was given and none was found.',
    next: 'Make one on the gateway with `fairlead token create --runner ID`, then give --token-file FILE or set FAIRLEAD_RUNNER_TOKEN.',
  },
  server_url_missing: {
    message: 'No gateway was named.',
    next: 'Give --server-url URL, or write server_url into runner.toml.',
  },
  mcp_calls_full: {
    message: '64 calls of this client are still running; nothing was sent.',
    next: 'Wait until some of them have ended.',
  },
  insecure_address: {
    message: 'The code and the Runner’s token would cross the network unencrypted; nothing was sent.',
    next: 'Use the gateway’s https address, or an SSH tunnel to its loopback port; on a network that you trust, give --allow-insecure.',
  },
  runner_file_exists: {
    message:
      'This machine has a Runner’s configuration or token already; nothing was sent, nothing written over.',
    next: 'Start it with `fairlead runner run`, or join from another folder with --state-dir.',
  },
  pairing_unfinished: {
    message: 'The gateway took the code, and the Runner’s files could not be written.',
    next: 'Mend what the message names, revoke the token that `fairlead token list` shows on the gateway, and make a new code there.',
  },
  log_missing: {
    message: 'There is no such log.',
    next: 'Name the state directory with --state-dir, and a Runner that has a process of its own with --runner; a log is made at the first start.',
  },
  node_too_old: {
    message: 'This Node is older than 24.',
    next: 'Install Node 24, or let the plugin name a newer Node by its full path, such as .node24/node_modules/.bin/node of the clone.',
  },
  extension_name_invalid: {
    message: 'That cannot be the name of an extension.',
    next: 'Take a name of 1 to 40 lower-case letters, digits, `_` and `-` that begins with a letter; `path` is taken by fairlead.toml.',
  },
  extension_has_no_folder: {
    message:
      'The extension was not loaded from a folder, so it can be neither reloaded nor unloaded by a command.',
    next: 'Switch it off where it is not wanted with `/extensions remove`; the host’s own ones stay installed.',
  },
  host_not_running: {
    message: 'No host runs on this state directory.',
    next: 'Start one with `fairlead up` (in a clone: `npm start` or `./fairlead up`).',
  },
  state_directory_open: {
    message: 'Other users can write into the state directory.',
    next: 'Take that right from them with chmod 700: who can write there can put a token or a plugin of their own in place.',
  },
  token_file_readable: {
    message: 'Other users can read a file that holds a token or a key.',
    next: 'Take that right from them with chmod 600; where somebody may have read it, revoke the token and make a new one.',
  },
  runner_offline: {
    message: 'A Runner that should be there is not linked to its gateway.',
    next: 'Start it on its machine with `fairlead runner run`, and read its log: `fairlead logs --runner ID`.',
  },
  gateway_clock_skew: {
    message: 'This machine’s clock and the gateway’s differ by more than 30 s.',
    next: 'Let both take their time from the network (NTP). Deadlines of calls do not depend on it; log lines and the ends of tokens do.',
  },
  proxy_takes_loopback: {
    message: 'A proxy is set for everything, this machine’s own addresses included.',
    next: 'Set NO_PROXY=localhost,127.0.0.1,::1 beside it. Fairlead goes to loopback directly; other clients go by these variables.',
  },
  answer_not_fairlead: {
    message: 'Something other than Fairlead answers at the address of the gateway.',
    next: 'Check the address; where a proxy answers in the gateway’s place, let it pass this address on, or go around it.',
  },
  process_table_absent: {
    message: 'This system has no /proc to find processes by.',
    next: 'Nothing has to be done for plugins that start no daemon; others must end what they start.',
  },
  internal_error: {
    message: 'Something went wrong inside Fairlead.',
    next: 'Run it again with FAIRLEAD_DEBUG=1 and report what it prints.',
  },
});

/** A code of the command's own table. */
export type CliErrorCode = keyof typeof cliErrors;
