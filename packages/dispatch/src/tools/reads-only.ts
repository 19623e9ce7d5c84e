import { isJsonObject, type Json } from '@fairlead/base';
import { actionForms, isPluginToolAction } from '../plugin-tool/action.ts';

const READS: ReadonlySet<string> = new Set([
  ...['work_on_project', 'read_tool_manifest', 'check_runner_config'],
  ...['session_list', 'session_read'],
]);

/**
 * True where what is asked of a tool changes nothing, whatever becomes of the answer: for faces that must say what the loss of
 * one means. A tool or an action that is not known here is taken for one that may change something.
 */
export function readsOnly(tool: string, params: Json): boolean {
  if (READS.has(tool)) return true;
  if (!isJsonObject(params)) return false;
  if (tool === 'call_runtime_tool') {
    const inner = params['tool'];
    return typeof inner === 'string' && READS.has(inner);
  }
  const { action } = params;
  return (
    tool === 'plugin_tool' && isPluginToolAction(action) && actionForms[action].mayHaveHappened === undefined
  );
}
