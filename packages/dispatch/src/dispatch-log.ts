/** Where dispatch writes what nobody awaits. `event` is a fixed word with a dot; fields never hold an argument value. */
export type DispatchLog = (
  level: 'info' | 'warn' | 'error',
  event: string,
  fields?: { readonly [name: string]: string | number },
) => void;
