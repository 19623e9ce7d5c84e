/** Which arguments of a tool name what it touches. */
export interface Touches {
  /** Arguments that are a path to read. */
  readonly reads?: readonly string[];
  /** Arguments that are a path to write. */
  readonly writes?: readonly string[];
  /** The argument that is a command line. */
  readonly command?: string;
  /** The argument that is the folder in which the command runs, absent for the workspace. */
  readonly folder?: string;
  /** The arguments that are an address and a method. */
  readonly url?: string;
  readonly method?: string;
}

/**
 * What the host judges by grants before anybody is asked to approve a call; the tools ask again when they open. Keys are
 * `extension/tool`. A tool without paths, commands or addresses has no row.
 */
export const builtinTouches: { readonly [tool: string]: Touches } = Object.freeze({
  'core/shell': { command: 'command', folder: 'working_dir' },
  'fs/read_file': { reads: ['path'] },
  'fs/write_file': { writes: ['path'] },
  'fs/edit_file': { reads: ['path'], writes: ['path'] },
});
