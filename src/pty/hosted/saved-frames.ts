import { defined } from '#base';
import type { ExitStatus } from '#model';
import type { LearnedSecrets, OutputPause, Saved, SavedChange, Segment } from '../port.ts';
import {
  decodeJson,
  encodeFields,
  encodeJson,
  Fields,
  type Frame,
  headerBytes,
  maxFrameBytes,
  more,
  ProtocolError,
} from './frames.ts';

/** The most bytes of a payload in several frames. */
const maxLongBytes = 256 * 1024 * 1024;
/** The most bytes of a payload in one frame. */
const maxPayloadBytes = maxFrameBytes - headerBytes;

/** A part of a long payload, for one frame. */
export interface PayloadPart {
  readonly flags: number;
  readonly bytes: number;
  readonly parts: readonly Uint8Array[];
}

/** Divides a payload into frames. The bytes are not copied. */
export function splitPayload(
  parts: readonly Uint8Array[],
  maxBytes = maxPayloadBytes,
): readonly PayloadPart[] {
  const frames: Uint8Array[][] = [[]];
  let room = maxBytes;
  for (const part of parts) {
    for (let at = 0; at < part.length; ) {
      if (room === 0) {
        frames.push([]);
        room = maxBytes;
      }
      const piece = part.subarray(at, at + room);
      frames.at(-1)?.push(piece);
      at += piece.length;
      room -= piece.length;
    }
  }
  return frames.map((each, index) => ({
    flags: index < frames.length - 1 ? more : 0,
    bytes: each.reduce((sum, { length }) => sum + length, 0),
    parts: each,
  }));
}

/** Joins the payloads of frames that {@link splitPayload} made. */
export class LongPayloads {
  readonly #begun = new Map<string, { parts: Uint8Array[]; bytes: number }>();

  /**
   * Returns the payload when its last frame is added, null before.
   *
   * @throws ProtocolError if it is too long
   */
  add({ type, flags, request, session, payload }: Frame): Uint8Array | null {
    const key = `${type} ${request} ${session}`;
    const begun = this.#begun.get(key);
    if ((flags & more) === 0) {
      this.#begun.delete(key);
      return begun === undefined ? payload : Buffer.concat([...begun.parts, payload]);
    }
    const entry = begun ?? { parts: [], bytes: 0 };
    entry.parts.push(new Uint8Array(payload));
    entry.bytes += payload.length;
    if (entry.bytes > maxLongBytes) {
      throw new ProtocolError(`${type} of more than ${maxLongBytes} bytes`);
    }
    this.#begun.set(key, entry);
    return null;
  }
}

/** Parts of a change that are present. */
const has = { facts: 1, state: 2, replaceFrom: 4, firstLine: 8 } as const;

/** Returns a change of what is saved as a payload. The blobs are not copied. */
export function encodeSavedChange(change: SavedChange): readonly Uint8Array[] {
  const { facts, state, replaceFrom, firstLine, segments = [] } = change;
  // Infinity appends, as if it was absent.
  const replaces = replaceFrom !== undefined && replaceFrom !== Number.POSITIVE_INFINITY;
  const u8 =
    (facts === undefined ? 0 : has.facts) |
    (state === undefined ? 0 : has.state) |
    (replaces ? has.replaceFrom : 0) |
    (firstLine === undefined ? 0 : has.firstLine);
  const parts: Uint8Array[] = [encodeFields({ u8 })];
  if (facts !== undefined) parts.push(encodeFields({ u32: facts.length }), facts);
  if (state !== undefined) {
    const { offset, steps, bytes } = state;
    parts.push(encodeFields({ offset }, { offset: steps }, { u32: bytes.length }), bytes);
  }
  if (replaces) parts.push(encodeFields({ offset: replaceFrom }));
  if (firstLine !== undefined) parts.push(encodeFields({ offset: firstLine }));
  parts.push(encodeFields({ u32: segments.length }));
  for (const { from, to, bytes } of segments) {
    parts.push(encodeFields({ offset: from }, { offset: to }, { u32: bytes.length }), bytes);
  }
  return parts;
}

/** Decodes a change, with copies of its blobs. @throws ProtocolError */
export function decodeSavedChange(payload: Uint8Array): SavedChange {
  const fields = new Fields(payload);
  const u8 = fields.u8();
  const blob = () => new Uint8Array(fields.bytes(fields.u32()));
  const change: { -readonly [name in keyof SavedChange]: SavedChange[name] } = {};
  if ((u8 & has.facts) !== 0) change.facts = blob();
  if ((u8 & has.state) !== 0) {
    change.state = { offset: fields.offset(), steps: fields.offset(), bytes: blob() };
  }
  if ((u8 & has.replaceFrom) !== 0) change.replaceFrom = fields.offset();
  if ((u8 & has.firstLine) !== 0) change.firstLine = fields.offset();
  const segments: Segment[] = [];
  for (let left = fields.u32(); left > 0; left--) {
    const [from, to] = [fields.offset(), fields.offset()];
    if (to < from) throw new ProtocolError(`segment from ${from} to ${to}`);
    segments.push({ from, to, bytes: blob() });
  }
  if (segments.length > 0) change.segments = segments;
  return change;
}

/** A program that a host offers to its next coordinator. */
export interface KeptFrame {
  readonly pid: number;
  readonly program: string;
  /** Output that can be fetched, in bytes; null: the default. */
  readonly logBytes: number | null;
  /** Where the kept output and steps begin: after the saved state, if there is one. */
  readonly base: { readonly offset: number; readonly steps: number };
  readonly outputEnd: number;
  readonly answeredTo: number;
  /** Absent from hosts of earlier versions. */
  readonly lastEnterAt?: number;
  readonly exited: { readonly status: ExitStatus; readonly atMs: number } | null;
  readonly paused: OutputPause | null;
  /** Absent from hosts of earlier versions. */
  readonly secrets?: readonly string[];
  /** Absent from hosts of earlier versions. */
  readonly learned?: LearnedSecrets;
  readonly saved: Saved;
}

/** Returns the payload in parts. The blobs are not copied. */
export function encodeKept({ saved, ...about }: KeptFrame): readonly Uint8Array[] {
  const json = encodeJson(about);
  const { facts, state, segments } = saved;
  const change = { facts, segments, ...defined({ state }) };
  return [encodeFields({ u32: json.length }), json, ...encodeSavedChange(change)];
}

/** @throws ProtocolError */
export function decodeKept(payload: Uint8Array): KeptFrame {
  const fields = new Fields(payload);
  const facts = decodeJson(fields.bytes(fields.u32())) as unknown as Omit<KeptFrame, 'saved'>;
  const {
    facts: own = new Uint8Array(0),
    state = null,
    ...rest
  } = decodeSavedChange(fields.rest());
  return { ...facts, saved: { facts: own, state, segments: rest.segments ?? [] } };
}
