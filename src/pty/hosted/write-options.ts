import { createHash } from 'node:crypto';
import { defined } from '#base';
import { VtrError } from '#model';
import type { TerminalModes, WriteOptions, WriteReceipt } from '../port.ts';
import { encodeFields, type Fields, type FieldValue } from './frames.ts';

/** Bytes of an id of input: the beginning of a hash of it; and of what was asked for with it. */
const idBytes = 16;
/** Options that are present. */
const has = {
  inputId: 1,
  answersTo: 2,
  content: 4,
  startByMs: 8,
  entersAt: 16,
  reader: 32,
} as const;
/** The first versions of the protocol whose hosts know some options. */
const versionOf = { content: 2, startByMs: 2, entersAt: 3, reader: 4 } as const;

/**
 * Returns the part of a `write` frame before the input. The signal is not in it.
 *
 * @param version of the protocol that the host knows, too
 */
export function encodeWriteOptions(
  { inputId, content, answersTo, reader, startByMs, pausesAt = [], entersAt = [] }: WriteOptions,
  version: number,
): Buffer {
  const hasContent = content !== undefined && version >= versionOf.content;
  const hasLimit = startByMs !== undefined && version >= versionOf.startByMs;
  const hasEnters = entersAt.length > 0 && version >= versionOf.entersAt;
  const hasReader = reader !== undefined && version >= versionOf.reader;
  const fields: FieldValue[] = [];
  if (inputId !== undefined) {
    fields.push({ bytes: createHash('sha256').update(inputId).digest().subarray(0, idBytes) });
  }
  if (answersTo !== undefined) fields.push({ offset: answersTo });
  if (hasContent) fields.push({ bytes: Buffer.from(content, 'hex') });
  if (hasLimit) fields.push({ offset: Math.floor(startByMs) });
  if (hasReader) fields.push({ u32: reader });
  const u8 =
    (inputId === undefined ? 0 : has.inputId) |
    (answersTo === undefined ? 0 : has.answersTo) |
    (hasContent ? has.content : 0) |
    (hasLimit ? has.startByMs : 0) |
    (hasEnters ? has.entersAt : 0) |
    (hasReader ? has.reader : 0);
  // Earlier hosts pause for a shorter time, and do not wait until the program reads.
  const within = hasEnters ? [] : entersAt.filter((at) => at > 0);
  const pauses = [...new Set([...pausesAt, ...within])].sort((a, b) => a - b);
  return encodeFields(
    { u8 },
    ...fields,
    ...offsets(pauses),
    ...(hasEnters ? offsets(entersAt) : []),
  );
}

const offsets = (list: readonly number[]): FieldValue[] => [
  { u32: list.length },
  ...list.map((u32) => ({ u32 })),
];

/** @throws ProtocolError */
export function decodeWriteOptions(fields: Fields): Omit<WriteOptions, 'signal'> {
  const u8 = fields.u8();
  const id = (u8 & has.inputId) === 0 ? null : fields.bytes(idBytes);
  const answersTo = (u8 & has.answersTo) === 0 ? null : fields.offset();
  const content = (u8 & has.content) === 0 ? null : fields.bytes(idBytes);
  const startByMs = (u8 & has.startByMs) === 0 ? null : fields.offset();
  const reader = (u8 & has.reader) === 0 ? null : fields.u32();
  const pausesAt = Array.from({ length: fields.u32() }, () => fields.u32());
  const hasEnters = (u8 & has.entersAt) !== 0;
  const entersAt = hasEnters ? Array.from({ length: fields.u32() }, () => fields.u32()) : [];
  return {
    pausesAt,
    ...(hasEnters ? { entersAt } : {}),
    ...defined({
      inputId: id && Buffer.from(id).toString('hex'),
      content: content && Buffer.from(content).toString('hex'),
      startByMs,
      answersTo,
      reader,
    }),
  };
}

/** What is known of the modes, and the bits of those before the write; those after it are higher. */
const modeBits = { known: 1, echo: 2, canonical: 4 } as const;
const afterShift = 2;

/** Returns the answer to a write. */
export function encodeWriteReceipt({ lineCutAtBytes = 0, modes }: WriteReceipt): Buffer {
  const u8 =
    modes === undefined
      ? 0
      : modeBits.known | bitsOf(modes.before) | (bitsOf(modes.after) << afterShift);
  return encodeFields({ u32: lineCutAtBytes }, { u8 });
}

/** Hosts of earlier versions do not report modes. @throws ProtocolError */
export function decodeWriteReceipt(fields: Fields): WriteReceipt {
  const lineCutAtBytes = fields.u32();
  const u8 = fields.left > 0 ? fields.u8() : 0;
  const modes = { before: modesOf(u8), after: modesOf(u8 >> afterShift) };
  return {
    ...defined({ lineCutAtBytes: lineCutAtBytes || undefined }),
    ...((u8 & modeBits.known) === 0 ? {} : { modes }),
  };
}

const bitsOf = ({ echo, canonical }: TerminalModes): number =>
  (echo ? modeBits.echo : 0) | (canonical ? modeBits.canonical : 0);

const modesOf = (bits: number): TerminalModes => ({
  echo: (bits & modeBits.echo) !== 0,
  canonical: (bits & modeBits.canonical) !== 0,
});

/** Returns the error of a write that was withdrawn before it was sent. */
export function withdrawn(): VtrError {
  const details = { acceptedBytes: 0 };
  return new VtrError('CANCELLED', 'the input was withdrawn; 0 bytes were accepted', { details });
}
