import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { addressKind } from '../../src/network/address-kind.ts';
import { addressBytes } from '../../src/network/ip-address.ts';

test('addresses of everybody are public', () => {
  const addresses = ['1.1.1.1', '8.8.8.8', '9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0'];
  const more = [
    '126.255.255.255',
    '128.0.0.0',
    '172.15.255.255',
    '172.32.0.0',
    '192.167.1.1',
    '223.255.255.255',
  ];
  const six = ['2606:4700::1111', '2001:4860:4860::8888', '2400::', '3ffe:ffff::', '[2a00:1450::1]'];
  const carried = ['::ffff:1.1.1.1', '64:ff9b::8.8.8.8', '64:ff9b::808:808'];
  for (const address of [...addresses, ...more, ...six, ...carried])
    assert.equal(addressKind(address), 'public', address);
});

test('loopback and private networks are private, also behind IPv6', () => {
  const addresses = [
    '127.0.0.1',
    '127.255.255.254',
    '10.0.0.0',
    '10.255.255.255',
    '172.16.0.0',
    '172.31.255.255',
  ];
  const more = ['192.168.0.1', '169.254.1.1', '100.64.0.0', '100.127.255.255'];
  const six = ['::1', 'fe80::1', 'febf::1', 'fc00::', 'fdff::1', 'fec0::1', '[::1]'];
  const carried = ['::ffff:127.0.0.1', '::ffff:a00:1', '64:ff9b::10.0.0.1', '64:ff9b::c0a8:1'];
  for (const address of [...addresses, ...more, ...six, ...carried])
    assert.equal(addressKind(address), 'private', address);
});

test('what hands out credentials, is nobody’s, is many, or hides another address is never reached', () => {
  const metadata = ['169.254.169.254', '169.254.170.2', '169.254.170.23', '100.100.100.200', '168.63.129.16'];
  const behind = ['::ffff:169.254.169.254', '::ffff:a9fe:a9fe', '64:ff9b::169.254.169.254', 'fd00:ec2::254'];
  const four = ['0.0.0.0', '0.1.2.3', '192.0.0.8', '192.0.2.1', '198.51.100.7', '203.0.113.9', '198.19.0.1'];
  const many = ['224.0.0.1', '239.255.255.255', '240.0.0.1', '255.255.255.255', '192.88.99.1'];
  const six = [
    '::',
    '::127.0.0.1',
    '::ffff:0.0.0.0',
    '64:ff9b:1::1',
    '100::1',
    '2001::1',
    '2001:db8::1',
    '2002:7f00:1::',
  ];
  const others = ['2002::1', '3fff::1', 'ff02::1', '5f00::1', '4000::', '2001:10::', '2001:20::1'];
  for (const address of [...metadata, ...behind, ...four, ...many, ...six, ...others])
    assert.equal(addressKind(address), 'never', address);
});

test('what is no address, or names a zone of this machine, is never reached', () => {
  for (const text of [
    '',
    'x.org',
    '127.1',
    '0x7f.1',
    '1.2.3.4.5',
    '1.2.3.256',
    'fe80::1%eth0',
    '1::2::3',
    ':',
    '[1.1.1.1',
  ])
    assert.equal(addressKind(text), 'never', text);
});

test('an IPv6 address has the bytes that a URL sees in it, however it is written', () => {
  fc.assert(
    fc.property(fc.ipV6(), (text) => {
      const bytes = addressBytes(text);
      assert.equal(bytes?.length, 16);
      const groups = Array.from({ length: 8 }, (_, at) =>
        (((bytes?.[2 * at] ?? 0) << 8) | (bytes?.[2 * at + 1] ?? 0)).toString(16),
      );
      assert.equal(new URL(`http://[${groups.join(':')}]`).hostname, new URL(`http://[${text}]`).hostname);
    }),
  );
});

test('an IPv4 address is the same kind behind IPv6, in either notation', () => {
  fc.assert(
    fc.property(fc.ipV4(), (text) => {
      const [a = 0, b = 0, c = 0, d = 0] = addressBytes(text) ?? [];
      const hex = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
      const kind = addressKind(text);
      for (const carried of [`::ffff:${text}`, `::ffff:${hex}`, `64:ff9b::${hex}`])
        assert.equal(addressKind(carried), kind);
    }),
  );
});
