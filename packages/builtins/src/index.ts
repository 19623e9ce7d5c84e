export { allBuiltins } from './all-builtins.ts';
export type { BuiltinPeer, Caller, CallGrants, SpawnEnd, SpawnRequest } from './builtin-peer.ts';
export { builtinErrors } from './errors.ts';
export { builtinTouches, type Touches, touchesWith } from './touches.ts';
