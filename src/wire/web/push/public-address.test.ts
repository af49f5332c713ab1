import { expect, it } from 'vitest';
import { isPublic, publicLookup } from './public-address.ts';

it.each([
  ...['127.0.0.1', '10.1.2.3', '172.16.0.1', '192.168.1.1', '169.254.169.254', '100.64.0.1'],
  ...['0.0.0.0', '224.0.0.1', '255.255.255.255', '198.18.0.1', '192.0.2.7'],
  ...['::1', '::', '::ffff:127.0.0.1', '::ffff:8.8.8.8', 'fe80::1', 'fd00::1', 'ff02::1'],
  ...['64:ff9b::7f00:1', '2002:7f00:1::', '2001::1', '2001:db8::1', 'localhost', ''],
])('%s is not an address of the public Internet', (address) => {
  expect(isPublic(address)).toBe(false);
});

it.each(['8.8.8.8', '172.32.0.1', '192.169.0.1', '2607:f8b0:4005::200e', '2a00:1450::1'])(
  '%s is one',
  (address) => {
    expect(isPublic(address)).toBe(true);
  },
);

it('a name whose address is not public is not connected to', async () => {
  const error = await new Promise((resolve) => publicLookup('localhost', {}, resolve));
  expect(String(error)).toMatch(/localhost is (127\.0\.0\.1|::1)/);
});
