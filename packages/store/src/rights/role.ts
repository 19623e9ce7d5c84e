import type { Level } from '../log/op.ts';

/** What a peer may do in a database: read it · append to tables · also write documents · also change rights. */
export type Role = 'read' | 'append' | 'write' | 'admin';

/** A role, or none: what a peer has before its first grant and after its revocation. */
export type Standing = Role | 'none';

const ORDER: readonly Standing[] = ['none', 'read', 'append', 'write', 'admin'];

const NEEDED: readonly Standing[] = ['none', 'append', 'write', 'admin'];

export function isRole(value: unknown): value is Role {
  return value === 'read' || value === 'append' || value === 'write' || value === 'admin';
}

/** Negative when `left` is the lesser. */
export function compareStandings(left: Standing, right: Standing): number {
  return ORDER.indexOf(left) - ORDER.indexOf(right);
}

/** The role that a commit of this level needs. Every commit needs one: level 0 is an author's bare certificate. */
export function neededRole(level: Level): Role {
  const needed = NEEDED[level];
  return isRole(needed) ? needed : 'append';
}

export function suffices(standing: Standing, level: Level): boolean {
  return compareStandings(standing, neededRole(level)) >= 0;
}
