/** Who attacks a round. One attacks at a time, so that what it finds has one cause. */
export const adversaries = {
  none: 'nobody: what a quiet round looks like',
  'kill-plugin': 'SIGKILL of the plugin',
  'kill-runner': 'SIGKILL of the Runner',
  'kill-gateway': 'SIGKILL of the gateway',
  'kill-host': 'SIGKILL of gateway and Runner in one process',
  'stop-process':
    'SIGSTOP of the plugin, the Runner, the gateway or both in one, for 0.2 s to 70 s of theirs, and SIGCONT',
  'silent-plugin': 'the plugin does not answer: its call’s budget passes',
  'cut-link': 'the link is cut before, inside or after a frame, at both ends or at one',
  'delay-link': 'everything from a frame on is held back, for up to 70 s of theirs, and let go later',
  'repeat-link': 'a frame is delivered twice',
  'reorder-link': 'a frame is overtaken by later ones',
  'fill-disk': 'the disk of the state directory is full',
  'exhaust-descriptors': 'a process may open no more files or sockets',
  'skew-clock': 'the wall clock of a process jumps, by up to 20 days',
  'flood-stderr': 'the plugin writes up to 8 MiB to stderr during a call',
  'lose-power': 'the gateway or the host is killed, and its log is cut after what was durable',
} as const;

export type Adversary = keyof typeof adversaries;

export const adversaryNames = Object.keys(adversaries) as readonly Adversary[];

export function isAdversary(name: string): name is Adversary {
  return Object.hasOwn(adversaries, name);
}
