// errors-reference.ts: writes docs/reference/errors.md from the packages' tables of codes.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ErrorEntry } from '@fairlead/base';
import { builtinErrors } from '@fairlead/builtins';
import { dispatchErrors } from '@fairlead/dispatch';
import { extensionErrors } from '@fairlead/extension/runtime';
import { gatewayErrors } from '@fairlead/gateway';
import { hostErrors } from '@fairlead/host';
import { hubErrors } from '@fairlead/hub';
import { mcpErrors } from '@fairlead/mcp';
import { processErrors } from '@fairlead/process';
import { protocolErrors } from '@fairlead/protocol';
import { runnerErrors } from '@fairlead/runner';
import { storeErrors } from '@fairlead/store';
import { cliErrors } from '../packages/cli/src/errors.ts';
import { pluginSdkErrors } from '../packages/plugin-sdk/src/errors.ts';

/** One package's codes, and where somebody meets them. */
export type ErrorSection = {
  readonly package: string;
  readonly met: string;
  readonly errors: Readonly<Record<string, ErrorEntry>>;
};

/** Every table of codes, in the order in which a call meets them. */
export const errorSections: readonly ErrorSection[] = [
  {
    package: 'cli',
    met: 'What the `fairlead` command says by itself, on stderr.',
    errors: cliErrors,
  },
  {
    package: 'gateway',
    met: 'In `error` of an HTTP answer, when a Runner links or is refused, and when `fairlead.toml` is read.',
    errors: gatewayErrors,
  },
  {
    package: 'dispatch',
    met: 'In `error` of a `plugin_tool` answer, decided before or around what a Runner does; and in the journal.',
    errors: dispatchErrors,
  },
  {
    package: 'protocol',
    met: 'In `error` of a `plugin_tool` answer, as `errorCode` of a plugin, as `code` and `diagnostic` of a check, in `failures` of a reload, and when a link breaks.',
    errors: protocolErrors,
  },
  {
    package: 'process',
    met: 'As `errorCode` of a plugin, as `code` of a check, in `failures` of a reload.',
    errors: processErrors,
  },
  {
    package: 'runner',
    met: 'When a Runner starts or ends, and from `fairlead runner status` and `fairlead runner stderr`.',
    errors: runnerErrors,
  },
  {
    package: 'store',
    met: 'When the database of a state directory is opened or written; in the log as the reason of others.',
    errors: storeErrors,
  },
  {
    package: 'extension',
    met: 'In what a tool, command, hook or routine of an extension answers, as the reason why an extension is refused or has failed, in its log, and thrown to its author.',
    errors: extensionErrors,
  },
  {
    package: 'hub',
    met: 'As the reason why an extension is refused, waits or was left out, and in the log of the host.',
    errors: hubErrors,
  },
  {
    package: 'host',
    met: 'As `code` of what ends a turn or refuses a call in it, of a command of the host, and when `fairlead.toml` is read.',
    errors: hostErrors,
  },
  {
    package: 'builtins',
    met: 'In what a built-in tool answers.',
    errors: builtinErrors,
  },
  {
    package: 'mcp',
    met: 'What an MCP server answers or does not: in a call’s result, in `/extensions`, in `fairlead ext list`.',
    errors: mcpErrors,
  },
  {
    package: 'plugin-sdk',
    met: 'In a plugin that is written with the SDK: thrown to its author, never on the wire.',
    errors: pluginSdkErrors,
  },
];

/** Where the page stands in the repository. */
export const errorsReferencePath = 'docs/reference/errors.md';

/** The whole page. */
export function renderErrorsReference(sections: readonly ErrorSection[]): string {
  const count = sections.reduce((sum, { errors }) => sum + Object.keys(errors).length, 0);
  const head = [
    '# Errors',
    '',
    `Every code that Fairlead answers, prints or logs: ${count} rows, by the package that says it. A code is stable; its words are`,
    'not. Whether anything happened is told by the certainty beside the code, never by the code alone: see',
    '[Trust and certainty](../explanation/trust-and-certainty.md).',
    '',
    '<!-- Written by tools/errors-reference.ts from each package’s errors.ts: change it there, then run `tools/on-node24 tools/errors-reference.ts`. -->',
  ];
  return `${[...head, ...sections.flatMap(renderSection)].join('\n')}\n`;
}

function renderSection({ package: name, met, errors }: ErrorSection): string[] {
  const rows = Object.entries(errors).map(([code, { message, next }]) => [`\`${code}\``, message, next]);
  return ['', `## ${name}`, '', met, '', ...table([['code', 'what it means', 'what to do next'], ...rows])];
}

function table(rows: readonly (readonly string[])[]): string[] {
  const [head = [], ...body] = rows.map((row) => `| ${row.map(cell).join(' | ')} |`);
  return [head as string, '| --- | --- | --- |', ...(body as string[])];
}

/** A bar would end the cell, a line end the table. */
function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll(/\s+/g, ' ').trim();
}

/** The rows of a page as they read back: package → code → its words. */
export function readErrorsReference(text: string): Record<string, Record<string, ErrorEntry>> {
  const sections: Record<string, Record<string, ErrorEntry>> = {};
  let rows: Record<string, ErrorEntry> = {};
  for (const line of text.split('\n')) {
    const name = /^## (\S+)$/.exec(line)?.[1];
    if (name !== undefined) {
      rows = {};
      sections[name] = rows;
    }
    const [, code, message, next] = /^\| `([a-z0-9_]+)` \| (.*) \| (.*) \|$/.exec(line) ?? [];
    if (code !== undefined && message !== undefined && next !== undefined)
      rows[code] = { message: uncelled(message), next: uncelled(next) };
  }
  return sections;
}

function uncelled(text: string): string {
  return text.replaceAll('\\|', '|');
}

if (process.argv[1] === import.meta.filename) {
  writeFileSync(join(import.meta.dirname, '..', errorsReferencePath), renderErrorsReference(errorSections));
}
