import { FairleadError } from '@fairlead/base';

/** Does something to a file, and adds the file's path to the error of a package that keeps paths to itself. */
export async function nameFile<T>(file: string, step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    if (!(error instanceof FairleadError)) throw error;
    const { code, message, detail } = error;
    const known = typeof detail === 'object' && detail !== null && !Array.isArray(detail) ? detail : {};
    throw new FairleadError(code, message, { detail: { file, ...known }, cause: error });
  }
}
