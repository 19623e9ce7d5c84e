import type { SkillFile, SkillLayer } from './skill.ts';
import type { ShelvedSkill } from './skill-shelf.ts';

/**
 * How a skill stands: `offered` to the agent · `hidden` because tools that it needs are not offered · `untrusted`, nobody pinned its digest · `changed`,
 * somebody pinned another digest of it · `shadowed` by a trusted one of its name.
 */
type SkillState = 'offered' | 'hidden' | 'untrusted' | 'changed' | 'shadowed';

/** A skill as people and built-ins see it: plain data. */
export interface SkillView {
  readonly name: string;
  readonly description: string;
  readonly triggers: readonly string[];
  readonly tags: readonly string[];
  readonly requiresTools: readonly string[];
  readonly allowedTools?: string;
  readonly license?: string;
  readonly compatibility?: string;
  /** What in it has no effect. */
  readonly notes: readonly string[];
  readonly files: readonly SkillFile[];
  readonly digest: string;
  readonly layer: SkillLayer;
  /** In words for a person. */
  readonly where: string;
  readonly state: SkillState;
  /** Tools that it needs and that are not offered. */
  readonly missing: readonly string[];
}

/** A skill as it stands for who is offered these tools. */
export function skillView(shelved: ShelvedSkill, tools: ReadonlySet<string>): SkillView {
  const { skill, layer, where } = shelved;
  const { body: _, readFile: __, ...head } = skill;
  const missing = skill.requiresTools.filter((tool) => !tools.has(tool));
  return { ...head, layer, where, missing, state: stateOf(shelved, missing) };
}

function stateOf(
  { isShadowed, isTrusted, wasTrusted }: ShelvedSkill,
  missing: readonly string[],
): SkillState {
  if (isShadowed) return 'shadowed';
  if (!isTrusted) return wasTrusted ? 'changed' : 'untrusted';
  return missing.length > 0 ? 'hidden' : 'offered';
}
