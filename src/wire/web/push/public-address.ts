import { type LookupAddress, type LookupOptions, lookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

/** What is not a public address, or not of one host (IANA's registries of special addresses; RFC 6890). */
const special = new BlockList();
for (const [network, bits] of [
  ...([
    ['0.0.0.0', 8],
    ['10.0.0.0', 8],
    ['100.64.0.0', 10],
    ['127.0.0.0', 8],
  ] as const),
  ...([
    ['169.254.0.0', 16],
    ['172.16.0.0', 12],
    ['192.0.0.0', 24],
    ['192.0.2.0', 24],
  ] as const),
  ...([
    ['192.88.99.0', 24],
    ['192.168.0.0', 16],
    ['198.18.0.0', 15],
  ] as const),
  ...([
    ['198.51.100.0', 24],
    ['203.0.113.0', 24],
    ['224.0.0.0', 3],
  ] as const),
] as const) {
  special.addSubnet(network, bits, 'ipv4');
}
// Teredo, 6to4 and NAT64 name an IPv4 address, which may be a private one.
for (const [network, bits] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
] as const) {
  special.addSubnet(network, bits, 'ipv6');
}
const globalUnicast = new BlockList();
globalUnicast.addSubnet('2000::', 3, 'ipv6');

/** Whether an IP address is one of the public Internet. */
export function isPublic(address: string): boolean {
  const version = isIP(address);
  if (version === 4) return !special.check(address, 'ipv4');
  return version === 6 && globalUnicast.check(address, 'ipv6') && !special.check(address, 'ipv6');
}

/** Looks a name up, and fails if one of its addresses is not public: the connection goes to what was checked. */
export const publicLookup: LookupFunction = (name, options, done) => {
  lookup(name, { ...(options as LookupOptions), all: true }, (error, addresses) => {
    if (error !== null) return done(error, '', 0);
    const inner = addresses.find(({ address }) => !isPublic(address));
    if (inner !== undefined) return done(new Error(`${name} is ${inner.address}`), '', 0);
    const [first] = addresses as [LookupAddress];
    if (options.all) done(null, addresses);
    else done(null, first.address, first.family);
  });
};
