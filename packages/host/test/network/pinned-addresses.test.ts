import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { addressKind } from '../../src/network/address-kind.ts';
import { machineResolver, pinAddresses } from '../../src/network/pinned-addresses.ts';

test('a name is pinned exactly where each of its addresses may be reached', async () => {
  const address = fc.oneof(
    fc.ipV4(),
    fc.ipV6(),
    fc.constantFrom('127.0.0.1', '10.1.2.3', '8.8.8.8', '2600::1'),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(address, { minLength: 1, maxLength: 8 }),
      fc.boolean(),
      async (addresses, allowPrivate) => {
        const pins = await pinAddresses('x.org', { allowPrivate }, async () => addresses);
        const may = (kind: string) => kind === 'public' || (kind === 'private' && allowPrivate);
        assert.equal(
          pins.ok,
          addresses.every((one) => may(addressKind(one))),
        );
        if (pins.ok) assert.deepEqual(pins.addresses, addresses);
      },
    ),
  );
});

test('of many addresses the first eight are tried, after all were judged', async () => {
  const public8 = Array.from({ length: 8 }, (_, at) => `8.8.8.${at}`);
  const pins = await pinAddresses('x.org', undefined, async () => [...public8, '9.9.9.9']);
  assert.deepEqual(pins, { ok: true, addresses: public8 });
  const trap = await pinAddresses('x.org', { allowPrivate: false }, async () => [...public8, '10.0.0.1']);
  assert.equal(trap.ok, false);
});

test('this machine knows itself', async () => {
  const addresses = await machineResolver('localhost');
  assert.ok(addresses.some((address) => address === '127.0.0.1' || address === '::1'));
});
