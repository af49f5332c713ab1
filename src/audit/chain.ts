import { createHash } from 'node:crypto';

/** The newest entry of a trail, which the next one follows. */
export interface Link {
  /** The number of the entry, from 1 on; 0: none is before. */
  readonly seq: number;
  /** Its hash: SHA-256, in lower-case hexadecimal digits. */
  readonly chain: string;
}

/** What the first entry of a trail follows. */
export const beginning: Link = { seq: 0, chain: '0'.repeat(64) };

/**
 * The hash of an entry: SHA-256 of the hash of the entry before, a line feed, and the entry as JSON without its
 * `chain`.
 */
export const chainOf = (before: string, body: string): string =>
  createHash('sha256').update(`${before}\n${body}`).digest('hex');

/**
 * Returns the line of an entry that follows another one, without a line feed.
 *
 * @param json an object with at least one field
 * @param isFirst whether it is the first of its file: it then has the hash of the entry before, whose file is
 * removed some day
 */
export function chained(json: string, before: Link, isFirst: boolean): Link & { line: string } {
  const seq = before.seq + 1;
  const prev = isFirst ? `,"prev":"${before.chain}"` : '';
  const open = `${json.slice(0, -1)},"seq":${seq}${prev}`;
  const chain = chainOf(before.chain, `${open}}`);
  return { seq, chain, line: `${open},"chain":"${chain}"}` };
}

/** A line of a trail that has a hash, in its parts. */
export interface ChainedLine extends Link {
  /** What the hash is of, besides the hash before. */
  readonly body: string;
  /** The hash of the entry before, if the line has it. */
  readonly prev: string | null;
}

const end = /,"seq":(\d{1,15})(?:,"prev":"([0-9a-f]{64})")?,"chain":"([0-9a-f]{64})"\}$/;

/** Returns null for a line without a hash: of an earlier version of vtr, or not complete. */
export function chainedLine(line: string): ChainedLine | null {
  const [whole, seq, prev = null, chain] = end.exec(line) ?? [];
  if (whole === undefined || chain === undefined) return null;
  const body = `${line.slice(0, -`,"chain":"${chain}"}`.length)}}`;
  return { seq: Number(seq), prev, chain, body };
}
