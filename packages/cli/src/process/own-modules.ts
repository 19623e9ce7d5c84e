import type { ResolveFnOutput, ResolveHookSync } from 'node:module';

/**
 * Resolves what the packages of this repository import of themselves and of each other, for `registerHooks` of node:module: a path beside
 * the importing file is the file that it names, and one package is the same for all of them. Node would look at the file system for each of
 * some hundred imports again, which is a third of what a command costs before it does anything. `packages`: the URL of their folder, with
 * the slash at its end.
 */
export function ownModules(packages: string): ResolveHookSync {
  const known = new Map<string, ResolveFnOutput>();
  return (specifier, context, next) => {
    const { parentURL } = context;
    if (parentURL?.startsWith(packages) !== true) return next(specifier, context);
    if (specifier.startsWith('./') || specifier.startsWith('../')) {
      const format = formatOf(specifier);
      if (format === null) return next(specifier, context);
      return { url: new URL(specifier, parentURL).href, format, shortCircuit: true };
    }
    if (!specifier.startsWith('@fairlead/')) return next(specifier, context);
    const found = known.get(specifier) ?? { ...next(specifier, context), shortCircuit: true };
    known.set(specifier, found);
    return found;
  };
}

/** Every package here is of modules. Null for what is none, such as JSON. */
function formatOf(specifier: string): string | null {
  if (specifier.endsWith('.ts')) return 'module-typescript';
  return specifier.endsWith('.js') ? 'module' : null;
}
