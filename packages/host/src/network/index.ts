export {
  type GuardedAnswer,
  type GuardedRequest,
  guardedRequest,
  type NetworkPorts,
} from './guarded-request.ts';
export { machineResolver, type Resolver } from './pinned-addresses.ts';
