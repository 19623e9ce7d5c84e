export { reservedNames } from './command-table.ts';
export { runHostCommand } from './run-host-command.ts';
