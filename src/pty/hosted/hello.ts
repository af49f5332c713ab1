import { decodeJson, encodeFields, encodeJson, Fields, ProtocolError, protocol } from './frames.ts';

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
    ...[{ bytes: magic }, { u16: min }, { u16: max }],
    ...[{ u16: name.length }, { bytes: name }, { bytes: encodeJson(facts) }],
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
