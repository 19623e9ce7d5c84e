import { readdirSync, readlinkSync } from 'node:fs';

/** Work in flight that ends by itself and holds nothing open. */
const PASSING: ReadonlySet<string> = new Set(['FSReqCallback', 'FSReqPromise', 'CloseReq', 'TTYWrap']);

/** What kept the event loop alive at one moment, to be compared with a later one. */
export type HandleSnapshot = {
  readonly handles: ReadonlySet<object>;
  readonly counts: ReadonlyMap<string, number>;
  readonly socketFds: ReadonlySet<string>;
};

export function handleSnapshot(): HandleSnapshot {
  return { handles: new Set(activeHandles()), counts: resourceCounts(), socketFds: socketFds() };
}

/** New handles since `before`: each as an object where Node shows it, with a line that names it. */
export function newHandles(before: HandleSnapshot): { readonly lines: string[]; readonly handles: object[] } {
  const handles = activeHandles().filter((handle) => !before.handles.has(handle));
  const lines = handles.map(describe);
  for (const [kind, count] of resourceCounts()) {
    const more = count - (before.counts.get(kind) ?? 0);
    // Timers have their own list, with the place they were set at; handles are named above.
    if (more > 0 && !PASSING.has(kind) && kind !== 'Timeout' && !isHandleKind(kind))
      lines.push(`${more} × ${kind}`);
  }
  if (handles.length === 0) {
    for (const socket of socketFds())
      if (!before.socketFds.has(socket))
        lines.push(`an open socket (${socket}), not referenced by the event loop`);
  }
  return { lines, handles };
}

/** How many timers keep the event loop alive; new ones over `before` were set by means that cannot be traced. */
export function timerCount(snapshot: Pick<HandleSnapshot, 'counts'> = { counts: resourceCounts() }): number {
  return snapshot.counts.get('Timeout') ?? 0;
}

function isHandleKind(kind: string): boolean {
  return kind.endsWith('Wrap') && kind !== 'GetAddrInfoReqWrap' && kind !== 'FSEventWrap';
}

function activeHandles(): object[] {
  // Undocumented, and the only way to name a handle; where it is missing the counts still tell.
  const list: unknown = Reflect.get(process, '_getActiveHandles');
  return typeof list === 'function' ? (list.call(process) as object[]) : [];
}

function resourceCounts(): Map<string, number> {
  const counts = new Map<string, number>();
  for (const kind of process.getActiveResourcesInfo()) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return counts;
}

function socketFds(): Set<string> {
  const sockets = new Set<string>();
  let fds: string[];
  try {
    fds = readdirSync('/proc/self/fd');
  } catch {
    return sockets;
  }
  for (const fd of fds) {
    try {
      const target = readlinkSync(`/proc/self/fd/${fd}`);
      if (target.startsWith('socket:')) sockets.add(target);
    } catch {
      // It was the descriptor of the listing itself.
    }
  }
  return sockets;
}

function describe(handle: object): string {
  const name = handle.constructor.name;
  const parts: string[] = [];
  for (const member of [
    'pid',
    'spawnfile',
    'localAddress',
    'localPort',
    'remotePort',
    'path',
    'fd',
    'threadId',
  ]) {
    const value: unknown = Reflect.get(handle, member);
    if (typeof value === 'string' || typeof value === 'number') parts.push(`${member} ${value}`);
  }
  const address: unknown = Reflect.get(handle, 'address');
  if (name === 'Server' && typeof address === 'function')
    parts.push(`listening on ${JSON.stringify(address.call(handle))}`);
  return parts.length === 0 ? name : `${name} (${parts.join(', ')})`;
}
