/** Whose question about skills it is. */
export interface SkillAsker {
  readonly session: string;
  /** Its id; absent where the session has none. */
  readonly agent?: string;
  /** The tool whose call asks; absent for the prompt and for a command. */
  readonly tool?: string;
  /** Ids of the banks that are attached to the session. */
  readonly attached: readonly string[];
}

/** A skill, without its text. */
export interface PeerSkill {
  readonly name: string;
  readonly description: string;
  readonly triggers: readonly string[];
  readonly tags: readonly string[];
  readonly requiresTools: readonly string[];
  /** What it says that it uses; it gives nothing. */
  readonly allowedTools?: string;
  readonly license?: string;
  readonly compatibility?: string;
  /** What in it has no effect. */
  readonly notes: readonly string[];
  readonly files: readonly { readonly path: string; readonly bytes: number }[];
  readonly digest: string;
  readonly layer: 'project' | 'user' | 'installed' | 'agent' | 'bank' | 'session_bank';
  /** In words for a person. */
  readonly where: string;
  readonly state: 'offered' | 'hidden' | 'untrusted' | 'changed' | 'shadowed';
  /** Tools that it needs and that are not offered. */
  readonly missing: readonly string[];
}

/** What stands where a skill could, and is none. */
export interface PeerNoSkill {
  readonly name: string;
  readonly where: string;
  readonly reason: string;
  readonly line?: number;
}

export interface PeerSkillText {
  readonly skill: PeerSkill;
  readonly text: string;
}

export interface PeerSkillBank {
  readonly id: string;
  readonly name: string;
}

interface PeerGrantedBank extends PeerSkillBank {
  /** By the agent's id. */
  readonly grants: readonly { readonly agent: string; readonly right: 'read' | 'write' }[];
}

/** Where a skill is put: among those of this host, in a bank, in an agent. */
interface SkillTarget {
  readonly bank?: string;
  readonly agent?: string;
}

/** What was installed here, as it was then. */
interface PeerInstalledSkill {
  readonly name: string;
  readonly source: string;
  readonly ref: string | null;
  readonly revision: string | null;
  readonly digest: string;
}

/** Skills of every place. What is refused rejects with a code and a message that is safe to show. What changes which skills are here or trusted needs the scope `admin`. */
export interface SkillsPeer {
  /** What a model is told of. */
  offered(asker: SkillAsker): Promise<readonly PeerSkill[]>;
  /** For a model: only what is offered. */
  show(asker: SkillAsker, name: string, file?: string): Promise<PeerSkillText>;
  /** For a person: everything, and why it is not offered. */
  here(
    asker: SkillAsker,
  ): Promise<{ readonly skills: readonly PeerSkill[]; readonly refused: readonly PeerNoSkill[] }>;
  read(asker: SkillAsker, name: string, file?: string): Promise<PeerSkillText>;
  installed(): Promise<readonly PeerInstalledSkill[]>;
  trust(asker: SkillAsker, name: string, digest?: string): Promise<PeerSkill>;
  untrust(asker: SkillAsker, name: string): Promise<void>;
  install(
    asker: SkillAsker,
    words: { readonly source: string; readonly ref?: string; readonly inner?: string },
    target: SkillTarget,
    signal: AbortSignal,
  ): Promise<{
    readonly name: string;
    readonly digest: string;
    readonly revision: string | null;
    readonly files: number;
  }>;
  remove(asker: SkillAsker, name: string, target: SkillTarget): Promise<void>;
  banks(): Promise<readonly PeerGrantedBank[]>;
  findBank(nameOrId: string): Promise<PeerSkillBank>;
  createBank(asker: SkillAsker, name: string): Promise<PeerSkillBank>;
  removeBank(asker: SkillAsker, nameOrId: string): Promise<PeerSkillBank>;
  /** `agent` by name or id. */
  grant(asker: SkillAsker, bank: string, agent: string, right: 'read' | 'write'): Promise<PeerSkillBank>;
  revoke(asker: SkillAsker, bank: string, agent: string): Promise<PeerSkillBank>;
}
