import { stringify } from 'smol-toml';

/** What a registration needs; the rest has defaults. */
export type ProviderBlock = {
  readonly id: string;
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly timeout_secs?: number;
};

/** One `[[plugins.providers]]` block as TOML: every quote, backslash and space is the serializer's business. */
export function providerBlock(provider: ProviderBlock): string {
  return `${stringify({ plugins: { providers: [provider] } }).trim()}\n`;
}
