import type { ExitStatus } from '#model';
import type { LearnedSecrets, OutputPause, Saved } from '../port.ts';
import { decodeJson, encodeFields, encodeJson, Fields } from './frames.ts';
import { decodeSavedChange, encodeSavedChange } from './saved-frames.ts';

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
  const change = { facts, segments, ...(state === null ? {} : { state }) };
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
