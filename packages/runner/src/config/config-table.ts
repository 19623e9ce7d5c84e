import { nearestKey, type TomlLines, type TomlPath } from '@fairlead/base';

/**
 * One remark on a configuration file, for the person at this machine only: it quotes the file's own key names, so it
 * never crosses the link.
 */
export type ConfigNote = {
  /** 1-based; absent where the file has no single line for it. */
  readonly line?: number;
  /** The key as a person would write it, such as `plugins.providers[0].timeout_secs`. */
  readonly key: string;
  readonly message: string;
  /** The known key that an unknown one most likely meant. */
  readonly nearest?: string;
};

/** One line of text for a note. */
export function noteText(note: ConfigNote): string {
  const where = note.line === undefined ? '' : `line ${note.line}: `;
  const hint = note.nearest === undefined ? '' : ` (did you mean ${note.nearest}?)`;
  return `${where}${note.key} ${note.message}${hint}`;
}

/** What reading one file has found so far. Any fault makes the file invalid; warnings do not. */
export class ConfigFindings {
  readonly #lines: TomlLines;
  readonly faults: ConfigNote[] = [];
  readonly warnings: ConfigNote[] = [];

  constructor(lines: TomlLines) {
    this.#lines = lines;
  }

  fault(path: TomlPath, message: string): void {
    this.faults.push(this.#note(path, message));
  }

  warn(path: TomlPath, message: string, nearest?: string): void {
    const note = this.#note(path, message);
    this.warnings.push(nearest === undefined ? note : { ...note, nearest });
  }

  #note(path: TomlPath, message: string): ConfigNote {
    const line = this.#lines.lineOf(path);
    const key = writtenPath(path);
    return line === undefined ? { key, message } : { line, key, message };
  }
}

function writtenPath(path: TomlPath): string {
  let text = '';
  for (const part of path) {
    if (typeof part === 'number') text += `[${part}]`;
    else {
      const name = /^[A-Za-z0-9_-]{1,64}$/.test(part) ? part : JSON.stringify(part.slice(0, 64));
      text += text === '' ? name : `.${name}`;
    }
  }
  return text === '' ? 'the file' : text;
}

/** A rule for a text: what is wrong with it, or null. */
export type TextRule = (text: string) => string | null;

/**
 * Reads one table key by key. Every key asked for counts as known; `finish` warns about the rest. A value that is
 * wrong is noted as a fault and read as absent, so that one reading finds every fault.
 */
export class ConfigTable {
  readonly #values: Readonly<Record<string, unknown>>;
  readonly #path: TomlPath;
  readonly #known = new Set<string>();
  readonly findings: ConfigFindings;

  constructor(values: Readonly<Record<string, unknown>>, path: TomlPath, findings: ConfigFindings) {
    this.#values = values;
    this.#path = path;
    this.findings = findings;
  }

  get path(): TomlPath {
    return this.#path;
  }

  fault(key: string, message: string): void {
    this.findings.fault([...this.#path, key], message);
  }

  text(key: string, rule: TextRule): string | undefined {
    const value = this.#take(key);
    if (value === undefined) return undefined;
    if (typeof value !== 'string') {
      this.fault(key, 'must be a string');
      return undefined;
    }
    const wrong = rule(value);
    if (wrong !== null) this.fault(key, wrong);
    return wrong === null ? value : undefined;
  }

  requiredText(key: string, rule: TextRule): string | undefined {
    if (!Object.hasOwn(this.#values, key)) {
      this.#known.add(key);
      this.findings.fault([...this.#path], `needs the key ${key}`);
      return undefined;
    }
    return this.text(key, rule);
  }

  wholeNumber(key: string, min: number, max: number): number | undefined {
    const value = this.#take(key);
    if (value === undefined) return undefined;
    if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) return value;
    this.fault(key, `must be a whole number from ${min} to ${max}`);
    return undefined;
  }

  oneOf<T extends string>(key: string, allowed: readonly T[]): T | undefined {
    const value = this.#take(key);
    if (value === undefined) return undefined;
    const found = allowed.find((item) => item === value);
    if (found === undefined) this.fault(key, `must be one of ${allowed.join(', ')}`);
    return found;
  }

  texts(key: string, rule: TextRule): readonly string[] | undefined {
    const value = this.#take(key);
    if (value === undefined) return undefined;
    if (!Array.isArray(value)) {
      this.fault(key, 'must be a list of strings');
      return undefined;
    }
    const items: string[] = [];
    value.forEach((item: unknown, index) => {
      const wrong = typeof item === 'string' ? rule(item) : 'must be a string';
      if (wrong !== null) this.findings.fault([...this.#path, key, index], wrong);
      else items.push(item as string);
    });
    return items;
  }

  table(key: string): ConfigTable | undefined {
    const value = this.#take(key);
    if (value === undefined) return undefined;
    return this.#tableAt(value, [...this.#path, key]);
  }

  /** An array of tables, such as `[[plugins.providers]]`. */
  tables(key: string): readonly ConfigTable[] {
    const value = this.#take(key);
    if (value === undefined) return [];
    if (!Array.isArray(value)) {
      this.fault(key, 'must be a list of tables');
      return [];
    }
    return value
      .map((item: unknown, index) => this.#tableAt(item, [...this.#path, key, index]))
      .filter((item) => item !== undefined);
  }

  /** Every key of this table, all of them known from here on: for tables whose keys are names that people choose. */
  names(): readonly string[] {
    const names = Object.keys(this.#values);
    for (const name of names) this.#known.add(name);
    return names;
  }

  /** Keys that mean something elsewhere (docs/explanation/compatibility.md) and nothing here: named, so that nobody relies on them. */
  withoutEffect(keys: readonly string[]): void {
    for (const key of keys) {
      if (this.#take(key) !== undefined) this.findings.warn([...this.#path, key], 'has no effect here');
    }
  }

  /** Warns about every key that nothing has asked for. */
  finish(): void {
    for (const key of Object.keys(this.#values)) {
      if (this.#known.has(key)) continue;
      this.findings.warn(
        [...this.#path, key],
        'is not a known key; it is ignored',
        nearestKey(key, this.#known),
      );
    }
  }

  #take(key: string): unknown {
    this.#known.add(key);
    return Object.hasOwn(this.#values, key) ? this.#values[key] : undefined;
  }

  #tableAt(value: unknown, path: TomlPath): ConfigTable | undefined {
    if (typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)) {
      return new ConfigTable(value as Record<string, unknown>, path, this.findings);
    }
    this.findings.fault(path, 'must be a table');
    return undefined;
  }
}
