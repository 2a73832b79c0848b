import { type LookupAddress, lookup as resolveName } from 'node:dns';
import { BlockList, isIP } from 'node:net';
import { ClipctlError } from '../../errors.js';

/*
 * The service fetches what its caller names. It must not reach where the caller could not: this machine, the
 * private network around it, a cloud's metadata address. Every address a name resolves to is checked, and the
 * connection is made to a checked one, so that a second look-up cannot answer otherwise.
 */

const BLOCKED_V4 = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const;
const BLOCKED_V6 = [
  ['::', 96], // unspecified, loopback and IPv4 written the old way
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['100::', 64],
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
] as const;

const BLOCKED = makeBlockList();

function makeBlockList(): BlockList {
  const list = new BlockList();
  for (const [address, bits] of BLOCKED_V4) list.addSubnet(address, bits, 'ipv4');
  for (const [address, bits] of BLOCKED_V6) list.addSubnet(address, bits, 'ipv6');
  return list;
}

/** Whether an IP address is one of the public internet. IPv4 inside IPv6 is judged as the IPv4 it is. */
export function isPublicAddress(address: string): boolean {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped) return isPublicAddress(mapped);
  const family = isIP(address);
  if (family === 0) return false;
  // ::ffff:7f00:1 and the like: BlockList judges mapped addresses by their IPv4 rules
  return !BLOCKED.check(address, family === 4 ? 'ipv4' : 'ipv6');
}

export function refusePrivate(host: string): ClipctlError {
  return new ClipctlError('rejected', `${host} is an address of this machine or of a private network`, {
    reason: 'the local service does not fetch from there',
    hint: 'start it with --allow-private-imports if you mean it',
  });
}

/** Checks a host written as numbers; names are checked when they are looked up. */
export function checkLiteralHost(hostname: string): void {
  const bare = hostname.replace(/^\[|\]$/g, '');
  if (isIP(bare) !== 0 && !isPublicAddress(bare)) throw refusePrivate(hostname);
}

type LookupCallback = (error: Error | null, address: string | LookupAddress[], family?: number) => void;

/** A look-up for node:http that fails when any address of the name is not public. */
export function lookupPublic(
  hostname: string,
  options: { all?: boolean | undefined; family?: number | string | undefined },
  callback: LookupCallback,
): void {
  resolveName(hostname, { all: true }, (error, addresses) => {
    if (error) return callback(error, []);
    const [first] = addresses;
    if (!first) return callback(new Error(`${hostname} has no address`), []);
    if (addresses.some(({ address }) => !isPublicAddress(address)))
      return callback(refusePrivate(hostname), []);
    if (options.all) callback(null, addresses);
    else callback(null, first.address, first.family);
  });
}
