const EXTENSION_NAME = /^[a-z][a-z0-9_-]{0,39}$/;
const TOOL_NAME = /^[a-zA-Z][a-zA-Z0-9_-]{0,63}$/;
const COMMAND_NAME = /^[a-z][a-z0-9-]{0,31}$/;
const SETTINGS_KEY = /^[a-zA-Z][a-zA-Z0-9_]{0,63}$/;
const ROUTINE_ID = /^[a-zA-Z][a-zA-Z0-9_-]{0,63}$/;
const GATE = /^(\*|[a-zA-Z][a-zA-Z0-9_-]{0,63}\*?)$/;

/** A small letter, then up to 39 small letters, digits, `_`, `-`; `path` is a key of the configuration, never an extension. */
export function isExtensionName(name: string): boolean {
  return EXTENSION_NAME.test(name) && name !== 'path';
}

/** What model APIs take as the name of a function. */
export function isToolName(name: string): boolean {
  return TOOL_NAME.test(name);
}

export function isCommandName(name: string): boolean {
  return COMMAND_NAME.test(name);
}

export function isSettingsKey(name: string): boolean {
  return SETTINGS_KEY.test(name);
}

export function isRoutineId(id: string): boolean {
  return ROUTINE_ID.test(id);
}

/** The name of a tool, a prefix of names with `*`, or `*` alone. */
export function isGate(gate: string): boolean {
  return GATE.test(gate);
}
