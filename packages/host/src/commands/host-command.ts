import { type Infer, s } from '@fairlead/extension';
import { type CompiledSchema, compileSchema, parseCommandLine, usageOf } from '@fairlead/extension/runtime';
import type { Database } from '@fairlead/store';
import { hostError } from '../errors.ts';
import type { SessionMeta } from '../sessions/session-meta.ts';
import type { CommandAnswer, CommandLineGiven } from './command-answer.ts';
import { usageFault } from './command-fault.ts';
import type { CommandPorts } from './ports.ts';

/** What a token must have for a command; none implies another. */
export type CommandScope = 'session:read' | 'session:write' | 'session:approve' | 'admin';

/** Where a command runs. */
export interface HostCall {
  readonly ports: CommandPorts;
  /** The session's root id. */
  readonly session: string;
  readonly database: Database;
  readonly meta: SessionMeta;
  readonly given: CommandLineGiven;
  /** Every command of the host, for `/help`. */
  readonly commands: readonly HostCommand[];
}

/** One way to type a command: the bare one, or a sub-command. */
export interface HostForm {
  /** The second word; empty for the bare form. */
  readonly sub: string;
  readonly about: string;
  readonly scope: CommandScope;
  /** As it is typed: `/agent add <agent>`. */
  usage(): string;
  /** True where words may follow, options aside. */
  takesWords(): boolean;
  /** Parses what stands behind its words and runs. Rejects with codes. */
  run(call: HostCall, rest: string): Promise<CommandAnswer>;
}

/** One command of the host. */
export interface HostCommand {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly about: string;
  /** The bare form first, where there is one. */
  readonly forms: readonly HostForm[];
}

/** For a form that shows with less than it changes with. Throws `command_scope_missing`. */
export function requireScope({ given }: HostCall, scope: CommandScope): void {
  if (!given.by.scopes.includes(scope)) throw hostError('command_scope_missing', scope);
}

type Shape = Parameters<typeof s.object>[0];

interface FormWords {
  /** `agent` or `agent add`. */
  readonly words: string;
  readonly about: string;
  readonly scope: CommandScope;
  /** The last argument is text of many words. Elsewhere an argument is one word. */
  readonly text?: boolean;
  /** In place of the derived one. */
  readonly usage?: string;
}

/** A form whose arguments are parsed as an extension's command's are; `run` gets them typed. */
export function form<const S extends Shape>(
  words: FormWords & { readonly args: S },
  run: (call: HostCall, args: Infer<S>, rest: string) => Promise<CommandAnswer>,
): HostForm {
  const { args, about, scope, text = false } = words;
  const name = words.words;
  const [, sub = ''] = name.split(' ');
  let compiled: CompiledSchema | undefined;
  const schema = (): CompiledSchema => {
    compiled ??= schemaOf(args);
    return compiled;
  };
  const usage = (): string => {
    const derived = usageOf({ name, args: schema() });
    // `…` says that words may follow, which a single name does not take.
    return words.usage ?? (text ? derived : derived.replaceAll('…', ''));
  };
  return {
    sub,
    about,
    scope,
    usage,
    takesWords: () => Object.values(args).some(({ json }) => json.type !== 'boolean'),
    async run(call, rest) {
      const line = parseCommandLine({ name, args: schema() }, rest);
      if (!line.ok) return usageFault(line.message, usage());
      const loose = text ? undefined : Object.entries(line.args).find(isManyWords);
      if (loose !== undefined) return usageFault(`${loose[0]} is one word`, usage());
      return await run(call, line.args as Infer<S>, rest);
    },
  };
}

function schemaOf(args: Shape): CompiledSchema {
  const compilation = compileSchema(s.object(args).json);
  if (!compilation.ok) throw new TypeError(compilation.fault.message);
  return compilation.schema;
}

function isManyWords([, value]: readonly [string, unknown]): boolean {
  return typeof value === 'string' && (value === '' || /\s/.test(value));
}
