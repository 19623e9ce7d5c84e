import { type JSONRPCMessage, ProtocolErrorCode, type Transport } from '@modelcontextprotocol/server';

/**
 * The protocol package answers params that it cannot read with `Internal error` and its parser's own report. They are the
 * client's mistake and are told as such, in words that repeat nothing of what came.
 */
export function tellParamsFaults(transport: Transport): void {
  const send = transport.send.bind(transport);
  transport.send = (message, options) => send(told(message), options);
}

function told(message: JSONRPCMessage): JSONRPCMessage {
  if (!('error' in message) || message.error.code !== ProtocolErrorCode.InternalError) return message;
  if (!isParserReport(message.error.message)) return message;
  const error = {
    code: ProtocolErrorCode.InvalidParams,
    message: 'The params are not those of this method.',
  };
  return { ...message, error };
}

/** A list of issues, each with its path: no error of our own has such words. */
function isParserReport(text: string): boolean {
  if (!text.startsWith('[')) return false;
  try {
    const issues: unknown = JSON.parse(text);
    return (
      Array.isArray(issues) && issues.every((issue) => Array.isArray((issue as { path?: unknown }).path))
    );
  } catch {
    return false;
  }
}
