/**
 * Where something does not fit, and how. `path` is a JSON Pointer (RFC 6901), "" for the whole; `message` goes on after the
 * name of the place and holds nothing of the value.
 */
export interface SchemaFault {
  readonly path: string;
  readonly message: string;
}

/** The pointer of a member below a place. */
export function below(path: string, step: string | number): string {
  return `${path}/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** A fault as one line for a person or a model. */
export function faultText({ path, message }: SchemaFault): string {
  return path === '' ? message : `${path} ${message}`;
}
