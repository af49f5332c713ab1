import { createHash } from 'node:crypto';
import { decodeUtf8 } from '#base';
import { type AuditState, ioError } from '#model';
import { type AuditEntry, limited, type NewEntry } from './entry.ts';
import { TrailFiles, type TrailFilesOptions } from './trail-files.ts';

export interface TrailOptions extends TrailFilesOptions {
  /** Whether entries have the text. */
  readonly text: boolean;
  /** In ms since 1970. */
  readonly wallMs: () => number;
  /** Called when entries are lost for the first time, and when they are written again. */
  readonly log: (line: string) => void;
}

/** A shorter text can be found by trying all that its hash may stand for. In bytes. */
const minHashedBytes = 8;
/** In UTF-16 code units. */
const maxText = 4096;
/** What may wait for a slow disk. */
const maxWaiting = 10_000;
const maxWaitingBytes = 16 * 1024 * 1024;
/** How long entries wait for more before they are written, in ms: the echo of a key goes first. */
const gatherMs = 5;
/** Entries of one write. */
const maxBatch = 256;

/**
 * The audit trail of a coordinator. Callers do not wait for the disk: entries are written together, some
 * milliseconds after the first of them. Entries that cannot be written are counted; the trail has their number
 * as soon as it can be written again.
 */
export class Trail {
  readonly #files: TrailFiles;
  readonly #options: TrailOptions;
  #waiting: NewEntry[] = [];
  #waitingBytes = 0;
  #writing: Promise<void> | null = null;
  /** Begins the write that is waiting for more entries. */
  #begin: () => void = () => {};
  /** Lost since the last entry that was written. */
  #lost = 0;
  #lostSinceMs = 0;
  #lostTotal = 0;
  #reason = '';

  constructor(options: TrailOptions) {
    this.#options = options;
    this.#files = new TrailFiles(options);
  }

  get state(): AuditState {
    const { directory } = this.#options;
    if (this.#lostTotal === 0) return { directory, lost: 0, isLosing: false };
    return { directory, lost: this.#lostTotal, isLosing: this.#lost > 0, reason: this.#reason };
  }

  /** Never fails, and does no I/O. */
  add(added: NewEntry): void {
    const bytes = added.input?.length ?? 0;
    const isFull = this.#waiting.length >= maxWaiting;
    if (isFull || this.#waitingBytes + bytes > maxWaitingBytes) {
      this.#lose(1, 'the disk is too slow');
      return;
    }
    this.#waiting.push(added);
    this.#waitingBytes += bytes;
    this.#writing ??= new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, gatherMs);
      this.#begin = () => {
        clearTimeout(timer);
        resolve();
      };
    }).then(() => this.#drain());
  }

  /** Writes what waits. Never fails. */
  async close(): Promise<void> {
    this.#begin();
    await this.#writing;
    if (this.#lost > 0) await this.#append([]);
    await this.#files.close().catch(() => {});
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, maxBatch);
      for (const { input } of batch) this.#waitingBytes -= input?.length ?? 0;
      await this.#append(batch.map((each) => this.#lineOf(each)));
    }
    this.#writing = null;
  }

  async #append(lines: readonly string[]): Promise<void> {
    const lost = this.#lost;
    const gap = lost === 0 ? [] : [`${JSON.stringify(this.#gap())}\n`];
    const { written, error } = await this.#files.append([...gap, ...lines]);
    if (written > 0 && lost > 0) {
      this.#lost -= lost;
      this.#options.log(`the audit trail is written again; ${lost} entries are missing`);
    }
    const missing = lines.length - Math.max(0, written - gap.length);
    if (error === null) return;
    this.#lose(missing, ioError(this.#options.directory, 'written', error).message);
  }

  #lose(count: number, reason: string): void {
    if (count === 0) return;
    if (this.#lost === 0) {
      this.#lostSinceMs = this.#options.wallMs();
      this.#options.log(`warning: entries of the audit trail are lost: ${reason}`);
    }
    this.#lost += count;
    this.#lostTotal += count;
    this.#reason = reason;
  }

  #gap(): AuditEntry {
    const { wallMs } = this.#options;
    const since = new Date(this.#lostSinceMs).toISOString();
    return {
      time: new Date(wallMs()).toISOString(),
      ...{ action: 'gap', client: 'vtr' },
      details: { lost: this.#lost, since, reason: this.#reason },
    };
  }

  #lineOf({ entry, input }: NewEntry): string {
    return `${JSON.stringify(input === null ? entry : { ...entry, ...this.#contentOf(input) })}\n`;
  }

  #contentOf(input: string | Uint8Array): Pick<AuditEntry, 'sha256' | 'text'> {
    const bytes = typeof input === 'string' ? Buffer.from(input) : input;
    const isHashed = bytes.length >= minHashedBytes;
    const text = () => (typeof input === 'string' ? input : decodeUtf8(input.subarray(0, maxText)));
    return {
      ...(isHashed && { sha256: createHash('sha256').update(bytes).digest('hex') }),
      ...(this.#options.text && { text: limited(text(), maxText) }),
    };
  }
}
