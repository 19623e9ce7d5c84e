export type { ConfigRow } from './config-row.ts';
export { type HostConfigReading, readHostConfig } from './host-config.ts';
