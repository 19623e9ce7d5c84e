import { readFileSync } from 'node:fs';

/** Resident memory of a process, in MiB, pages that it shares with others included. Linux only. */
export function residentMib(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const kib = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1];
  if (kib === undefined) throw new Error(`process ${pid} has no resident memory: it has ended`);
  return Number(kib) / 1024;
}
