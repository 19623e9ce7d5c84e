import { defineErrors } from '@fairlead/base';

/** The codes that only a Runner has. Those of the plugin protocol and of processes stand in their packages. */
export const runnerErrors = defineErrors({
  runner_folder_in_use: {
    message: 'Another Runner on this machine holds this runner id.',
    next: 'Stop the other Runner, or give this one another client_id in runner.toml.',
  },
  runner_folder_unusable: {
    message: "The Runner's folder in the state directory cannot be made or used.",
    next: 'See that the state directory belongs to you, has mode 0700 and is on a local disk.',
  },
  runner_unauthorized: {
    message: "The gateway does not accept this Runner's token.",
    next: 'Create a token with `fairlead token create --runner ID` and give it to this Runner; a revoked or expired one stays refused.',
  },
  runner_forbidden: {
    message: 'The gateway does not let this token register this Runner.',
    next: 'A Runner token is bound to one runner id: use the token that was created for this one.',
  },
  runner_id_taken: {
    message: 'Another Runner with this id is linked to the gateway.',
    next: 'Stop the other Runner, or give this one another client_id and a token for it.',
  },
  runner_not_running: {
    message: 'No Runner with this id runs on this machine.',
    next: 'Start it, or look at `fairlead status` for the id; its stderr can be read on its own machine only.',
  },
  unknown_request: {
    message: "The Runner's local socket was asked for something that it does not know.",
    next: 'Use the command of the version that this Runner was started with.',
  },
  runner_answer_invalid: {
    message: "The Runner's local socket gave an answer that cannot be read.",
    next: 'Stop and start the Runner; if it goes on, report it.',
  },
});
