import { defineExtension, type Verdict } from '@fairlead/extension';

/** The tools that take the path of a file. */
const FILE_TOOLS = ['read_file', 'write_file', 'edit_file'];

/** Models write `notes/` for the file `notes`. The root stays the root, whatever else is wrong with a path is the tool's to say. */
export const pathNormalizer = defineExtension({
  name: 'path_normalizer',
  version: '1.0.0',
  gates: FILE_TOOLS,
  on: {
    toolCall({ args }): Verdict {
      const { path } = args;
      if (typeof path !== 'string' || !path.endsWith('/')) return undefined;
      let end = path.length;
      while (end > 1 && path[end - 1] === '/') end -= 1;
      return end === path.length ? undefined : { args: { ...args, path: path.slice(0, end) } };
    },
  },
});
