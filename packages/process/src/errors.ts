import { defineErrors } from '@fairlead/base';

/** What this package answers when a provider's process cannot be brought up. */
export const processErrors = defineErrors({
  plugin_environment_prepare_failed: {
    message: 'The environment of the plugin could not be prepared.',
    next: 'Run the init script of its shell profile by hand in the plugin’s cwd: it must end with 0 within 30 s.',
  },
  plugin_executable_unsupported: {
    message: 'The command of the plugin is a kind of file that is not started without a shell.',
    next: 'Name an executable: for a .cmd or .bat file the program that it starts, for example node.exe with the script as argument.',
  },
  plugin_executable_unavailable: {
    message: 'The command of the plugin names no executable file.',
    next: 'Check the spelling, the PATH that the plugin’s profile makes, and that the file may be executed.',
  },
  plugin_spawn_failed: {
    message: 'The plugin’s process could not be started.',
    next: 'Look at the Runner’s log on its machine: a missing interpreter, cwd or permission is named there.',
  },
  plugin_stdio_unavailable: {
    message: 'The pipes to the plugin’s process could not be made.',
    next: 'Raise the limit of open files of the Runner (ulimit -n), or close what holds them.',
  },
  plugin_isolation_unavailable: {
    message: 'The plugin asks for isolation = "pid", which this machine does not offer.',
    next: 'Install bubblewrap and allow unprivileged user namespaces, or remove isolation from the provider.',
  },
});

export type ProcessErrorCode = keyof typeof processErrors;
