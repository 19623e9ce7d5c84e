import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { repositoryRoot } from '@fairlead/testing';
import {
  errorSections,
  errorsReferencePath,
  readErrorsReference,
  renderErrorsReference,
} from '../tools/errors-reference.ts';

const page = readFileSync(join(repositoryRoot, errorsReferencePath), 'utf8');
const documented = readErrorsReference(page);

/**
 * Codes that two packages say about one thing, each in words for its own reader: the sender of an HTTP request and who typed a
 * command; the gateway that refuses a Runner and the Runner that gives up. A paused host is said in the same words of a call that names a session and of one
 * that names none.
 */
const saidByTwo: readonly string[] = ['host_paused', 'internal_error', 'runner_id_taken', 'tool_not_found'];

describe('docs/reference/errors.md', () => {
  it('has a section for every package that has codes', () => {
    const tables = globSync('packages/*/src/errors.ts', { cwd: repositoryRoot })
      .map((path) => path.split(/[/\\]/)[1] ?? '')
      // It has the type of a table and no table.
      .filter((name) => name !== 'base');
    const sections = errorSections.map(({ package: name }) => name).sort();
    assert.deepEqual(sections, tables.sort(), 'a table is added in tools/errors-reference.ts');
    assert.deepEqual(
      Object.keys(documented),
      errorSections.map(({ package: name }) => name),
    );
  });

  for (const { package: name, errors } of errorSections) {
    it(`has the codes of ${name}, no other, and their words`, () => {
      assert.ok(Object.keys(errors).length > 0);
      assert.deepEqual(documented[name], { ...errors });
    });
  }

  it('is what the tables give: run tools/on-node24 tools/errors-reference.ts', () => {
    assert.equal(page, renderErrorsReference(errorSections));
  });
});

describe('the tables of codes', () => {
  it('are frozen, and each row says what happened and what to do next', () => {
    for (const { package: name, errors } of errorSections) {
      assert.ok(Object.isFrozen(errors), name);
      for (const [code, { message, next }] of Object.entries(errors)) {
        assert.match(code, /^[a-z][a-z0-9_]{1,79}$/);
        assert.ok(message.trim().length > 9 && next.trim().length > 9, `${name} ${code}`);
      }
    }
  });

  it('do not give one code two meanings', () => {
    const owners = new Map<string, string[]>();
    for (const { package: name, errors } of errorSections) {
      for (const code of Object.keys(errors)) owners.set(code, [...(owners.get(code) ?? []), name]);
    }
    const twice = [...owners].filter(([, names]) => names.length > 1).map(([code]) => code);
    assert.deepEqual(twice.sort(), [...saidByTwo].sort());
  });

  it('have a row for every code that a source raises by its name', () => {
    const known = new Set(errorSections.flatMap(({ errors }) => Object.keys(errors)));
    // How a code is raised here: as a member, as an error's first argument, or by one of the functions that make an answer.
    const raising = [
      /\bcode: '([a-z0-9_]+)'/g,
      /new FairleadError\(\s*'([a-z0-9_]+)'/g,
      /\b(?:refusal|refused|notStarted|storeError|refusalEnvelope|explain|throwLocal|pluginSdkError|extensionError|failure|reject)\(\s*'([a-z0-9_]+)'/g,
      /\blinkFailure\(\s*'[a-z_]+',\s*'([a-z0-9_]+)'/g,
      /\bfailed\(\s*'[a-z_]+',\s*'([a-z0-9_]+)'/g,
      /\.end\('([a-z0-9_]+)'\)/g,
    ];
    const homeless: string[] = [];
    let raised = 0;
    for (const path of globSync('packages/*/src/**/*.ts', { cwd: repositoryRoot }).sort()) {
      const text = readFileSync(join(repositoryRoot, path), 'utf8');
      for (const pattern of raising) {
        for (const [, code = ''] of text.matchAll(pattern)) {
          raised += 1;
          if (!known.has(code)) homeless.push(`${path} ${code}`);
        }
      }
    }
    assert.ok(raised > 80, `only ${raised} were found: the patterns no longer fit the sources`);
    assert.deepEqual([...new Set(homeless)], []);
  });

  it('hold no code that no source names, but those of docs/explanation/compatibility.md', () => {
    const sources = globSync('packages/*/src/**/*.ts', { cwd: repositoryRoot })
      .filter((path) => !/[/\\]errors\.ts$/.test(path))
      .map((path) => readFileSync(join(repositoryRoot, path), 'utf8'))
      .join('\n');
    const unnamed = errorSections
      .filter(({ package: name }) => name !== 'plugin-sdk')
      .flatMap(({ errors }) => Object.keys(errors))
      // The Runner makes these of the operation's name.
      .filter((code) => !/^plugin_(check|reload)_(busy|state_failed)$/.test(code))
      .filter((code) => !sources.includes(`'${code}'`));
    const compatibility = readFileSync(join(repositoryRoot, 'docs/explanation/compatibility.md'), 'utf8');
    const section = /## Codes that nothing can raise\n([\s\S]*?)(\n## |$)/.exec(compatibility)?.[1] ?? '';
    const excused = [...section.matchAll(/^\| `([a-z0-9_]+)` /gm)].map(([, code]) => code ?? '');
    assert.deepEqual(
      unnamed.filter((code) => !excused.includes(code)),
      [],
    );
  });
});
