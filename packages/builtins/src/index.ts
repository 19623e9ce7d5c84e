export { allBuiltins } from './all-builtins.ts';
export type { BuiltinPeer, Caller, CallGrants, SpawnEnd, SpawnRequest } from './builtin-peer.ts';
export { builtinTouches, type Touches } from './touches.ts';
