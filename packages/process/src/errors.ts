import { defineErrors } from '@fairlead/base';

/**
 * The code of this package that is Fairlead's own. The others that it answers (`plugin_executable_*`,
 * `plugin_environment_prepare_failed`, `plugin_spawn_failed`, `plugin_stdio_unavailable`) are those of
 * docs/reference/native-plugin-protocol.md §10, whose table `@fairlead/protocol` holds.
 */
export const processErrors = defineErrors({
  plugin_isolation_unavailable: {
    message: 'The plugin asks for isolation = "pid", which this machine does not offer.',
    next: 'Install bubblewrap and allow unprivileged user namespaces, or remove isolation from the provider.',
  },
});
