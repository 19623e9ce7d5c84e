export { createTokens } from './auth/token-book.ts';
export type {
  MintedToken,
  PersonalAuthentication,
  PersonalClaim,
  PersonalTokenRequest,
  RefusalReason,
  RunnerAuthentication,
  RunnerClaim,
  RunnerTokenRequest,
  TokenListing,
  Tokens,
} from './auth/tokens.ts';
export type { ConfigRow, ConfigSource, HostConfig } from './config/config-row.ts';
export type { ConfigWarning } from './config/config-warnings.ts';
export {
  type HostConfigInput,
  type HostConfigReading,
  type HostFlags,
  readHostConfig,
} from './config/host-config.ts';
export type { HostConfigFault } from './config/host-config-fault.ts';
export { type GatewayErrorCode, gatewayErrors } from './errors.ts';
export { createGateway, type Gateway, type GatewayOptions } from './gateway.ts';
export { createRunnerHub, type RunnerHub } from './link/runner-hub.ts';
export { createLog, type Log, type LogFields, type LogLevel, silentLog } from './log/log.ts';
export type { ExtensionAdministration } from './server/extension-routes.ts';
export type { SessionPort } from './sessions/session-port.ts';
