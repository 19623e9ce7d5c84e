export { allBuiltins } from './all-builtins.ts';
