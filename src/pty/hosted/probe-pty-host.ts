import { rmSync } from 'node:fs';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { socketProblem } from '#trust';
import {
  decodeJson,
  encodeFields,
  encodeJson,
  Fields,
  FrameReader,
  ProtocolError,
  protocol,
} from './frames.ts';

/** A PTY host that may live, as seen from outside. */
export interface PtyHostProbe extends HostFacts {
  /** Path of the socket. */
  readonly path: string;
  /**
   * `usable`: this vtr can connect. `other_protocol`: it cannot, because the versions of the protocol
   * differ. `silent`: it does not answer in time: it is suspended, or has no descriptor for a connection,
   * or the machine is busy. `gone`: nothing listens, or another user does.
   */
  readonly state: 'usable' | 'other_protocol' | 'silent' | 'gone';
  /** The version of its package; empty if unknown. */
  readonly version: string;
  readonly protocol: ProtocolRange;
}

const noFacts: HostFacts = {
  pid: 0,
  startedAtMs: 0,
  bootMs: 0,
  hasCoordinator: false,
  running: 0,
  exited: 0,
  paused: 0,
};

/** How long a listener that closed the connection is left alone, in ms. */
const againMs = 20;

/** Nothing listens there, or another user does. */
const nobody = ['ENOENT', 'ENOTDIR', 'ECONNREFUSED', 'EPROTOTYPE', 'EACCES', 'EPERM'];

/**
 * Returns the state of the PTY host at a socket, without disturbing its coordinator. Never fails.
 * Removes the socket of a host that is gone.
 *
 * @param timeoutMs after which a host that does not answer is `silent`
 */
export async function probePtyHost(
  path: string,
  { timeoutMs = 1_000 }: { readonly timeoutMs?: number } = {},
): Promise<PtyHostProbe> {
  const none = { path, ...noFacts, version: '', protocol: { min: 0, max: 0 } };
  if (socketProblem(path) !== null) return { ...none, state: 'gone' };
  const lastMs = performance.now() + timeoutMs;
  for (;;) {
    const probe = await greeted(path, Math.max(0, lastMs - performance.now()));
    if (typeof probe !== 'string') return probe;
    // A process listens, and its programs may run: it ends soon, or has no descriptor for a connection.
    if (probe !== 'closed') return { ...none, state: probe };
    if (performance.now() >= lastMs) return { ...none, state: 'silent' };
    await delay(againMs);
  }
}

/** Returns what the greeting of a host says, its state if there is none, or that it closed the connection. */
function greeted(
  path: string,
  timeoutMs: number,
): Promise<PtyHostProbe | PtyHostProbe['state'] | 'closed'> {
  return new Promise((resolve) => {
    const socket = connect(path);
    const end = (probe: PtyHostProbe | PtyHostProbe['state'] | 'closed') => {
      clearTimeout(timer);
      socket.destroy();
      resolve(probe);
    };
    const timer = setTimeout(() => end('silent'), timeoutMs);
    const reader = new FrameReader(({ type, payload }) => {
      if (type !== 'hello') return;
      const hello = decodeHello(payload);
      const { version, min, max } = hello;
      const state = overlaps(hello) ? 'usable' : 'other_protocol';
      end({ path, state, ...hostFactsOf(hello), version, protocol: { min, max } });
    });
    socket.on('data', (chunk) => {
      try {
        reader.push(chunk);
      } catch {
        end('other_protocol');
      }
    });
    socket.once('error', ({ code = '' }: NodeJS.ErrnoException) => {
      if (code === 'ECONNREFUSED') rmSync(path, { force: true });
      if (nobody.includes(code)) end('gone');
      // EAGAIN: the host does not accept the connections that already wait.
      else end(code === 'EAGAIN' ? 'silent' : 'closed');
    });
    socket.once('close', () => end('closed'));
  });
}

/** A range of versions of the protocol. */
export interface ProtocolRange {
  readonly min: number;
  readonly max: number;
}

/** The first frame in both directions. Its format is the same in all versions of the protocol. */
export interface Hello extends ProtocolRange {
  /** The version of the sender's package. */
  readonly version: string;
  /** The sender's properties; a host's are {@link HostFacts}. */
  readonly facts: Readonly<Record<string, unknown>>;
}

/** A host's properties when the connection began. */
export interface HostFacts {
  readonly pid: number;
  /** In ms since 1970. */
  readonly startedAtMs: number;
  /** Its {@link ReadTime.bootMs}. */
  readonly bootMs: number;
  readonly hasCoordinator: boolean;
  /** The numbers of programs that run, that have exited, and that are not read at the moment. */
  readonly running: number;
  readonly exited: number;
  readonly paused: number;
}

const magic = Buffer.from('vtrh');

export function encodeHello({ min, max, version, facts }: Hello): Buffer {
  const name = Buffer.from(version);
  return encodeFields(
    { bytes: magic },
    { u16: min },
    { u16: max },
    { u16: name.length },
    { bytes: name },
    { bytes: encodeJson(facts) },
  );
}

/** @throws ProtocolError */
export function decodeHello(payload: Uint8Array): Hello {
  const fields = new Fields(payload);
  if (!magic.equals(fields.bytes(magic.length))) throw new ProtocolError('hello of something else');
  const [min, max] = [fields.u16(), fields.u16()];
  const version = Buffer.from(fields.bytes(fields.u16())).toString('utf8');
  return { min, max, version, facts: decodeJson(fields.rest()) };
}

/** Returns the properties of a host; 0 and false for those that it does not have. */
export function hostFactsOf({ facts }: Hello): HostFacts {
  const count = (name: keyof HostFacts): number => {
    const value = facts[name];
    return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : 0;
  };
  return {
    pid: count('pid'),
    startedAtMs: count('startedAtMs'),
    bootMs: count('bootMs'),
    hasCoordinator: facts['hasCoordinator'] === true,
    running: count('running'),
    exited: count('exited'),
    paused: count('paused'),
  };
}

/** Whether both sides have a version of the protocol in common. */
export const overlaps = ({ min, max }: ProtocolRange): boolean =>
  min <= protocol.max && max >= protocol.min;

/** Returns `protocol 1`, or `protocol 1 to 3`. */
export const rangeText = ({ min, max }: ProtocolRange): string =>
  min === max ? `protocol ${min}` : `protocol ${min} to ${max}`;
