import { type Clock, delay, type Json } from '@fairlead/base';
import {
  budgets,
  type Carrier,
  checkContributions,
  compileSchema,
  type ExtensionRef,
  extensionError,
  type HostSide,
  type LogLine,
  type Manifest,
  mergeSettings,
} from '@fairlead/extension/runtime';
import { loadPathSource } from './path-source.ts';

/** Something that is wrong with an extension, before anybody installs it. */
export interface FolderProblem {
  readonly code: string;
  readonly message: string;
}

/** What was found in a folder. */
export interface FolderCheck {
  readonly ref: ExtensionRef;
  readonly manifest: Manifest;
  readonly problems: readonly FolderProblem[];
  /** What an operator has to know and nobody can judge here. */
  readonly notes: readonly string[];
}

/** A host that only looks: it answers nothing, and keeps what the extension says. */
class LookingHost implements HostSide {
  readonly warnings: string[] = [];

  ask(): never {
    throw extensionError('extension_ended', 'a check answers no questions');
  }

  log({ level, message }: LogLine): void {
    if (level === 'warn') this.warnings.push(message);
  }

  changed(): void {}
}

/**
 * Loads the extension of a folder in a worker of its own, opens an instance at each of its scopes with the settings that its
 * schema gives by default, closes them and ends it. Nothing is installed, and no tool, command or hook of it is called; what its
 * module and its `open` do, they do. Rejects where it cannot be loaded, with the codes of `loadPathSource`.
 */
export async function checkFolder(folder: string, clock: Clock): Promise<FolderCheck> {
  await using source = await loadPathSource({ folder, clock, watch: true });
  const host = new LookingHost();
  const carrier = await source.start(host, () => {});
  const problems: FolderProblem[] = [];
  try {
    const { manifest } = carrier;
    const { settings, missing } = defaultsOf(manifest);
    if (missing.length === 0) problems.push(...(await openScopes(carrier, settings, clock)));
    const notes = notesOf(manifest, missing);
    await carrier.end();
    for (const message of host.warnings) problems.push({ code: 'extension_warning', message });
    return { ref: source.ref, manifest, problems, notes };
  } finally {
    await carrier.end();
  }
}

function defaultsOf({ settings }: Manifest) {
  const compiled = compileSchema(settings);
  if (!compiled.ok) throw extensionError('manifest_invalid', 'settings');
  return mergeSettings(compiled.schema, []);
}

async function openScopes(carrier: Carrier, settings: { readonly [key: string]: Json }, clock: Clock) {
  const problems: FolderProblem[] = [];
  for (const kind of carrier.manifest.scopes) {
    const key = kind === 'global' ? '' : 'check';
    const given = new AbortController();
    try {
      const late = delay(clock, budgets.openMs, given.signal).then(() => {
        if (given.signal.aborted) return undefined as never;
        throw extensionError('instantiate_timeout', `${kind} scope`);
      });
      const opening = carrier.open({ instance: kind, kind, key, settings });
      const contributions = await Promise.race([opening, late]);
      const { refused } = checkContributions(carrier.manifest, kind, contributions);
      for (const { code, what } of refused) problems.push({ code, message: `${kind} scope: ${what}` });
    } catch (thrown) {
      problems.push({ code: codeOf(thrown), message: `${kind} scope: ${(thrown as Error).message}` });
    } finally {
      given.abort();
    }
  }
  for (const kind of [...carrier.manifest.scopes].reverse()) await carrier.close(kind);
  return problems;
}

function codeOf(thrown: unknown): string {
  return thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string'
    ? thrown.code
    : 'instantiate_failed';
}

function notesOf({ requires, requests, name }: Manifest, missing: readonly string[]): string[] {
  const told = (word: string) => (request: { readonly kind: string; readonly provider?: string }) =>
    request.provider === undefined
      ? `${word} ${request.kind}`
      : `${word} ${request.kind} of ${request.provider}`;
  return [
    ...requires.filter(isAsked).map(told('needs')),
    ...requests.filter(isAsked).map(told('uses, where it is there,')),
    ...missing.map((key) => `opened nowhere, because [extensions.${name}.settings] must set ${key}`),
  ];
}

/** What follows from the literal itself needs nobody's consent. */
function isAsked({ kind }: { readonly kind: string }): boolean {
  return !['tool_registration', 'command_registration', 'settings'].includes(kind);
}
