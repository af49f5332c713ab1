import { type RawOutput, VtrError } from '#model';
import { findInOutput, mask, type SecretRule, type SecretSpan } from '#recording';
import type { SessionView } from '#session';
import type { Redaction } from './redaction.ts';

/** The output around the returned part that is searched with it, in bytes: more than a secret has. */
export const rawContext = 16 * 1024;

interface Chunk {
  readonly offset: number;
  readonly bytes: Uint8Array;
}

/** A word whose beginning is no longer kept may be the end of a key. */
const cutWord = /^[\w.+/=~-]{16,}/;

/**
 * Returns raw output without secrets. The mask, which has three bytes, replaces each character of a secret.
 * Control sequences within a secret stay.
 *
 * @param chunks the output around it, as far as it is kept
 * @param isOpen whether output continues behind the last chunk
 */
function redactedRaw(
  raw: RawOutput,
  chunks: readonly Chunk[],
  rules: readonly SecretRule[],
  isOpen: boolean,
): { readonly raw: RawOutput; readonly count: number } {
  const end = raw.offset + raw.bytes.length;
  const before = bytesBetween(chunks, raw.offset - rawContext, raw.offset);
  const after = bytesBetween(chunks, end, end + rawContext);
  const whole = Buffer.concat([before, raw.bytes, after]);
  const { text, places } = decoded(whole);
  const isCut = raw.offset > before.length && before.length === 0;
  const spans = [
    ...findInOutput(text, rules),
    ...(isCut ? cutSpan(text, rules) : []),
    ...(isOpen && after.length === 0 ? begunSpan(text, rules) : []),
  ].sort((a, b) => a.from - b.from);
  const first = before.length;
  const secrets = new Set<number>();
  const parts: Uint8Array[] = [];
  let at = first;
  for (const { from, to, secret } of spans) {
    for (let index = from; index < to; index++) {
      const start = places[index] as number;
      const next = places[index + 1] as number;
      const isShown = start >= at && next <= first + raw.bytes.length && next > start;
      if (!isShown || /\s/.test(text.charAt(index))) continue;
      parts.push(whole.subarray(at, start), maskBytes);
      at = next;
      secrets.add(secret);
    }
  }
  if (secrets.size === 0) return { raw, count: 0 };
  parts.push(whole.subarray(at, first + raw.bytes.length));
  return { raw: { ...raw, bytes: new Uint8Array(Buffer.concat(parts)) }, count: secrets.size };
}

/** Replaces the secrets in the raw output of an answer, as far as it has any. */
export function withoutRawSecrets<T extends { readonly raw?: RawOutput }>(
  answer: T,
  view: SessionView,
  redaction: Redaction | null,
): T {
  if (redaction === null || answer.raw === undefined) return answer;
  const from = Math.max(0, answer.raw.offset - rawContext);
  const chunks = view.rawOutput(from);
  const isOpen = view.exitStatus === null;
  const { raw, count } = redactedRaw(answer.raw, chunks, redaction.rules, isOpen);
  redaction.counted(count);
  return { ...answer, raw };
}

export function rawNotRedacted(): VtrError {
  const message =
    'secrets cannot be replaced in what patterns match in raw output; leave out raw, or redact';
  return new VtrError('INVALID_ARGUMENT', message);
}

const maskBytes = Buffer.from(mask);

function cutSpan(text: string, rules: readonly SecretRule[]): SecretSpan[] {
  const ends = rules.map((rule) => rule.ended?.(text) ?? 0);
  const to = Math.max(cutWord.exec(text)?.[0].length ?? 0, ...ends);
  return to === 0 ? [] : [{ from: 0, to, secret: -1 }];
}

function begunSpan(text: string, rules: readonly SecretRule[]): SecretSpan[] {
  const from =
    Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r'), text.lastIndexOf('\x1b')) + 1;
  const line = text.slice(from);
  const begun = rules.map((rule) => rule.begun?.(line) ?? -1).filter((each) => each >= 0);
  if (begun.length === 0) return [];
  return [{ from: from + Math.min(...begun), to: text.length, secret: -2 }];
}

function bytesBetween(chunks: readonly Chunk[], from: number, to: number): Buffer {
  const parts = chunks.map(({ offset, bytes }) =>
    bytes.subarray(
      Math.min(bytes.length, Math.max(0, from - offset)),
      Math.max(0, Math.min(bytes.length, to - offset)),
    ),
  );
  return Buffer.concat(parts);
}

/**
 * Decodes UTF-8, with the place of each UTF-16 code unit in the bytes. A character has its bytes at its
 * first unit. Bytes that are not UTF-8 are replacement characters.
 */
function decoded(bytes: Uint8Array): { readonly text: string; readonly places: Uint32Array } {
  const places = new Uint32Array(bytes.length + 1);
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let text = '';
  for (let at = 0; at < bytes.length; ) {
    let end = at;
    while (end < bytes.length && (bytes[end] as number) < 0x80)
      places[text.length + end - at] = end++;
    text += Buffer.from(bytes.buffer, bytes.byteOffset + at, end - at).toString('latin1');
    if (end === bytes.length) break;
    const length = characterLength(bytes, end);
    const character = length === 1 ? '\ufffd' : decoder.decode(bytes.subarray(end, end + length));
    places[text.length] = end;
    if (character.length === 2) places[text.length + 1] = end + length;
    text += character;
    at = end + length;
  }
  places[text.length] = bytes.length;
  return { text, places };
}

/** Returns the length of a character of several bytes; 1 if it is none (Unicode, table 3-7). */
function characterLength(bytes: Uint8Array, at: number): number {
  const first = bytes[at] as number;
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || at + length > bytes.length) return 1;
  const text = Buffer.from(bytes.buffer, bytes.byteOffset + at, length).toString('utf8');
  return text.includes('\ufffd') || text.length > 2 || [...text].length !== 1 ? 1 : length;
}
