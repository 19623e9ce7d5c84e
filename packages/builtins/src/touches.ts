import type { SearchBackend } from './peer/web-peer.ts';
import { searchTargets } from './web/search/search-engine.ts';

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
  /** The argument that says what is done, and the words of it that only look. */
  readonly looks?: { readonly argument: string; readonly words: readonly string[] };
  /** Addresses of which it needs one, whatever its arguments are. */
  readonly needsOneOf?: readonly { readonly url: string; readonly method: string }[];
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
  'plugins/plugin_tool': { looks: { argument: 'action', words: ['list', 'describe', 'outcome'] } },
  'web/web_fetch': { url: 'url', method: 'method' },
});

/** The same, with what the configuration says of it: the engines that a search may ask. */
export function touchesWith(
  search: readonly Pick<SearchBackend, 'type' | 'baseUrl'>[],
): typeof builtinTouches {
  return { ...builtinTouches, 'web/web_search': { needsOneOf: searchTargets(search) } };
}
