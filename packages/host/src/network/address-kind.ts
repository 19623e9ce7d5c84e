import { addressBytes } from './ip-address.ts';

/**
 * What an address is to the guard: `public`; `private`, which `allow_private` opens; `never`, which nothing does: what hands out the
 * credentials of a machine, what belongs to nobody, what is no single machine, what hides another address.
 */
export type AddressKind = 'public' | 'private' | 'never';

/** The first that contains an address says what it is; more special ranges stand before those they lie in. */
type Range = readonly [network: string, bits: number, kind: AddressKind];

const RANGES_4: readonly Range[] = [
  // Metadata of clouds: the common address, tasks and pods of AWS, Alibaba, Oracle, the wire server of Azure.
  ['169.254.169.254', 32, 'never'],
  ['169.254.170.2', 32, 'never'],
  ['169.254.170.23', 32, 'never'],
  ['100.100.100.200', 32, 'never'],
  ['192.0.0.192', 32, 'never'],
  ['168.63.129.16', 32, 'never'],
  // RFC 6890 and the registry that it began.
  ['0.0.0.0', 8, 'never'],
  ['10.0.0.0', 8, 'private'],
  ['100.64.0.0', 10, 'private'],
  ['127.0.0.0', 8, 'private'],
  ['169.254.0.0', 16, 'private'],
  ['172.16.0.0', 12, 'private'],
  ['192.0.0.0', 24, 'never'],
  ['192.0.2.0', 24, 'never'],
  ['192.88.99.0', 24, 'never'],
  ['192.168.0.0', 16, 'private'],
  ['198.18.0.0', 15, 'never'],
  ['198.51.100.0', 24, 'never'],
  ['203.0.113.0', 24, 'never'],
  ['224.0.0.0', 4, 'never'],
  ['240.0.0.0', 4, 'never'],
];

const RANGES_6: readonly Range[] = [
  ['fd00:ec2::254', 128, 'never'],
  ['fd00:ec2::23', 128, 'never'],
  ['fd20:ce::254', 128, 'never'],
  ['::1', 128, 'private'],
  ['fc00::', 7, 'private'],
  ['fe80::', 10, 'private'],
  // Once the private range; still routed as such here and there.
  ['fec0::', 10, 'private'],
  // IETF protocols, Teredo, benchmarks, ORCHID; documentation; 6to4.
  ['2001::', 23, 'never'],
  ['2001:db8::', 32, 'never'],
  ['2002::', 16, 'never'],
  ['3fff::', 20, 'never'],
  // All that is given out to anybody stands here. Every other address is nobody's.
  ['2000::', 3, 'public'],
  ['::', 0, 'never'],
];

/** Prefixes of 96 bits behind which an IPv4 address stands: IPv4-mapped, and NAT64 as everybody has it. */
const CARRIERS: readonly string[] = ['::ffff:0:0', '64:ff9b::'];

/** What an address in its ordinary notation is. What is no address, or names a zone of this machine, is `never`. */
export function addressKind(address: string): AddressKind {
  const bytes = addressBytes(address);
  if (bytes === null) return 'never';
  if (bytes.length === 4) return kindIn(COMPILED_4, bytes) ?? 'public';
  const carried = COMPILED_CARRIERS.some((prefix) => isWithin(bytes, prefix, 96));
  if (carried) return kindIn(COMPILED_4, bytes.slice(12)) ?? 'public';
  return kindIn(COMPILED_6, bytes) ?? 'never';
}

type CompiledRange = {
  readonly network: readonly number[];
  readonly bits: number;
  readonly kind: AddressKind;
};

const COMPILED_4 = RANGES_4.map(compiled);
const COMPILED_6 = RANGES_6.map(compiled);
const COMPILED_CARRIERS = CARRIERS.map((network) => addressBytes(network) ?? []);

function compiled([network, bits, kind]: Range): CompiledRange {
  return { network: addressBytes(network) ?? [], bits, kind };
}

function kindIn(ranges: readonly CompiledRange[], bytes: readonly number[]): AddressKind | undefined {
  return ranges.find(({ network, bits }) => isWithin(bytes, network, bits))?.kind;
}

function isWithin(bytes: readonly number[], network: readonly number[], bits: number): boolean {
  const whole = bits >> 3;
  for (let at = 0; at < whole; at += 1) if (bytes[at] !== network[at]) return false;
  const rest = bits & 7;
  if (rest === 0) return true;
  const mask = (0xff << (8 - rest)) & 0xff;
  return ((bytes[whole] ?? 0) & mask) === ((network[whole] ?? 0) & mask);
}
