import { isDeepStrictEqual } from 'node:util';
import { defineExtension } from '../../../packages/extension/src/authoring/extension.ts';
import { MANIFEST_CHECKS } from '../../../packages/extension/src/manifest/manifest-fault.ts';
import { manifestText } from '../../../packages/extension/src/manifest/manifest-text.ts';
import { validateManifest } from '../../../packages/extension/src/manifest/validate-manifest.ts';
import { hold, type Target } from '../engine/target.ts';

const literal = {
  name: 'weather',
  version: '1.0.0',
  tools: { forecast: { about: 'a', args: { type: 'object', properties: { city: { type: 'string' } } } } },
  commands: { w: { about: 'b' } },
  on: { beforeAgentStart: 1, toolCall: 1 },
  gates: ['fs_*'],
  routines: { r: { about: 'c', cron: '0 7 * * *' }, e: { about: 'd', everyMs: 60_000 } },
  session: { prompt: 1, tail: 1, status: 1 },
};
const manifest = defineExtension(filled(literal) as never).manifest;

/** An input is a manifest, or a literal whose functions are written as numbers. */
export const target: Target = {
  name: 'manifest',
  holds:
    'a manifest is good, or is refused with a rule and a place; a good one is the same when written and read; a literal has a manifest or is refused by it',
  covers: ['packages/extension/src/manifest'],
  form: 'json',
  maxBytes: 16_384,
  words: [
    'messenger',
    'memory',
    'session_read',
    'tool_registration',
    'a.b',
    'agent_state_admin',
    'toolCall',
    'fs_*',
    '*',
    'global',
    'agent',
    'session',
  ],
  seeds: () => [JSON.stringify(manifest), JSON.stringify({ ...manifest, api: 2 }), JSON.stringify(literal)],
  open: async () => ({ run }),
};

function run(input: Uint8Array): void {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(input).toString());
  } catch {
    return;
  }
  judge(value);
  if (typeof value !== 'object' || value === null || !('name' in value) || 'api' in value) return;
  if (isLiteral(value)) judge(defineExtension(filled(value) as never).manifest);
}

function judge(value: unknown): void {
  const reading = validateManifest(value);
  if (!reading.ok) {
    const { code, check, path, message } = reading.fault;
    hold(code === 'manifest_invalid' || code === 'api_unsupported', 'a refusal has a code');
    hold(MANIFEST_CHECKS.includes(check) && message !== '', 'a refusal names its rule');
    hold(path === '' || path.startsWith('/'), 'a refusal has a place');
    return;
  }
  const again = validateManifest(JSON.parse(manifestText(reading.manifest)));
  hold(
    again.ok && isDeepStrictEqual(again.manifest, reading.manifest),
    'a manifest is written and read as the same',
  );
}

/** Whether a value has the shape that the compiler holds authors to; its names and schemas may be anything. */
function isLiteral(value: object): boolean {
  const parts = [value, Reflect.get(value, 'agent'), Reflect.get(value, 'session')];
  const members = ['tools', 'commands', 'on', 'routines', 'settings'];
  const texts = ['name', 'version'].every((key) => typeof Reflect.get(value, key) === 'string');
  return (
    texts &&
    !('uses' in value) &&
    !('access' in value) &&
    parts.every(
      (part) =>
        part === undefined ||
        (isObject(part) &&
          members.every((key) => isMembers(Reflect.get(part, key))) &&
          isTexts(Reflect.get(part, 'gates')) &&
          !('provides' in part)),
    )
  );
}

function isMembers(value: unknown): boolean {
  return (
    value === undefined ||
    (isObject(value) &&
      Object.values(value).every((member) => isObject(member) || typeof member === 'number'))
  );
}

function isTexts(value: unknown): boolean {
  return value === undefined || (Array.isArray(value) && value.every((item) => typeof item === 'string'));
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The literal with a function in the place of each number that stands for one, and a `run` for each tool, command and routine. */
function filled(value: object): Record<string, unknown> {
  const part = Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key,
      typeof member === 'number' ? () => undefined : (member as unknown),
    ]),
  );
  for (const key of ['tools', 'commands', 'routines'])
    if (isObject(part[key]))
      part[key] = Object.fromEntries(
        Object.entries(part[key]).map(([name, member]) => [
          name,
          isObject(member) ? { ...member, run: () => null } : { about: '', run: () => null },
        ]),
      );
  if (isObject(part['on']))
    part['on'] = Object.fromEntries(Object.keys(part['on']).map((kind) => [kind, () => undefined]));
  for (const key of ['agent', 'session']) if (isObject(part[key])) part[key] = filled(part[key]);
  return part;
}
