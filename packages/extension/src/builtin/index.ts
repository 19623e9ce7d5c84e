export { ToolFault } from '../authoring/tool-fault.ts';
export { type BuiltinScope, type DefineBuiltin, definerFor } from './definer.ts';
