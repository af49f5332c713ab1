import type { SavedChange, SavedState } from '#pty';
import type { PendingChange } from '../pending-change.ts';
import { findSealed, type SealedKind, seal, unseal } from '../sealed-file.ts';
import type { Stamp } from '../session-files.ts';

/** A change of a session in a journal. */
export interface JournalRecord {
  readonly id: string;
  /** See `SessionFiles.nextCount`. */
  readonly count: number;
  readonly stamp: Stamp;
  readonly change: PendingChange;
}

/** What the body has, in this order: facts, state, segments. */
interface Head extends Stamp {
  readonly id: string;
  readonly count: number;
  /** Lengths in bytes; null: not changed. */
  readonly facts: number | null;
  readonly state: (Omit<SavedState, 'bytes'> & { readonly length: number }) | null;
  readonly segments: readonly {
    readonly from: number;
    readonly to: number;
    readonly length: number;
  }[];
  /** Null: no line is replaced. */
  readonly replaceFrom: number | null;
  readonly firstLine: number;
}

const kind: SealedKind = 'change';

export function encodeRecord({ id, count, stamp, change }: JournalRecord): Uint8Array {
  const { facts, state, segments, replaceFrom, firstLine } = change;
  const parts = segments.map(({ bytes }) => bytes);
  if (state !== undefined) parts.unshift(state.bytes);
  if (facts !== undefined) parts.unshift(facts);
  const head: Head = {
    ...stamp,
    ...{ id, count, firstLine },
    facts: facts?.length ?? null,
    state: state === undefined ? null : withLength(state),
    segments: segments.map(withLength),
    replaceFrom: replaceFrom === Infinity ? null : replaceFrom,
  };
  return seal(kind, head, Buffer.concat(parts));
}

/** Returns where the first undamaged record begins, from an offset on; null if none does. */
export const findRecord = (bytes: Uint8Array, from: number): number | null =>
  findSealed(kind, bytes, from);

/** @throws Error with the reason if it is of a later version, or damaged */
export function decodeRecord(bytes: Uint8Array): JournalRecord {
  const { head, body } = unseal<Head>(kind, bytes);
  const { id, count, run, bootId, savedAtMs, facts, state, segments, ...lines } = head;
  let at = 0;
  const take = (length: number): Uint8Array => {
    at += length;
    return body.slice(at - length, at);
  };
  const change: SavedChange = {
    ...(facts === null ? {} : { facts: take(facts) }),
    ...(state === null ? {} : { state: withBytes(state, take) }),
    segments: segments.map((segment) => withBytes(segment, take)),
  };
  return {
    ...{ id, count },
    stamp: { run, bootId, savedAtMs },
    change: {
      ...(change as PendingChange),
      replaceFrom: lines.replaceFrom ?? Infinity,
      firstLine: lines.firstLine,
    },
  };
}

function withLength<T extends { readonly bytes: Uint8Array }>({ bytes, ...rest }: T) {
  return { ...rest, length: bytes.length };
}

function withBytes<T extends { readonly length: number }>(
  { length, ...rest }: T,
  take: (length: number) => Uint8Array,
) {
  return { ...rest, bytes: take(length) };
}
