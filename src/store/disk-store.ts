import { randomUUID } from 'node:crypto';
import { dirname, join } from 'node:path';
import type { Clock } from '#base';
import type { Persistence } from '#model';
import type { SavedChange } from '#pty';
import {
  checkOwner,
  liveOwner,
  ownerName,
  readSmallFile,
  replaceSmallFile,
  type StoreOwner,
  takeDirectory,
} from './owner.ts';
import { bytesOf, joined, noChange, type PendingChange } from './pending-change.ts';
import {
  type LostSession,
  type LostSessions,
  maxLost,
  maxLostMs,
  maxSessionBytes,
  maxStoreBytes,
  type SessionStore,
  type SkippedFile,
} from './port.ts';
import { OtherVersion } from './sealed-file.ts';
import {
  findSession,
  loadSession,
  problemsOf,
  removeTree,
  SessionFiles,
  type Stamp,
} from './session-files.ts';
import { ForeignFile, type StoreFiles, systemFiles } from './store-files.ts';
import { type Writer, Writing } from './writing.ts';

export interface StoreOptions {
  /** Absolute; made when there is something to save. */
  readonly directory: string;
  /** Another one after each start of the machine. */
  readonly bootId: string;
  /** This process. */
  readonly self: StoreOwner;
  readonly isAlive: (owner: StoreOwner) => boolean;
  readonly clock: Clock;
  readonly log: (line: string) => void;
  readonly files?: StoreFiles;
  /** Limits, for tests. */
  readonly maxSessionBytes?: number;
  readonly maxStoreBytes?: number;
  readonly maxLost?: number;
}

/** What waits to be written while the disk is full, in bytes, for all sessions. */
const maxPendingBytes = 64 * 1024 * 1024;

/** Beyond what waits, in bytes, no change waits for longer than others. */
const maxDelayedBytes = 8 * 1024 * 1024;

/** Facts, heads and headers beyond the bytes of a change. */
const roundingBytes = 4096;

const stoppingName = 'stopping';

const idPattern = /^[A-Za-z0-9-]{1,64}$/;
/** Whether a name in the store's directory can be that of a session's. */
const isId = (name: string): boolean =>
  idPattern.test(name) && name !== ownerName && name !== stoppingName;
const removedSuffix = '.removed';

/** Returns a store in a directory. Never fails: see {@link SessionStore.state}. */
export const openStore = (options: StoreOptions): SessionStore => new DiskStore(options);

export interface StoreCheck {
  readonly directory: string;
  readonly bootId: string;
  readonly isAlive: (owner: StoreOwner) => boolean;
  readonly files?: StoreFiles;
}

export interface CheckedStore {
  /** The process that uses the directory; null if none does. */
  readonly owner: number | null;
  /** Files that cannot be read, completely or in part. */
  readonly unreadable: readonly SkippedFile[];
}

/** Reads all saved sessions, also those of a running daemon. Changes nothing. Never throws. */
export function checkStore({ directory, bootId, isAlive, files }: StoreCheck): CheckedStore {
  const from = files ?? systemFiles;
  const owner = liveOwner(from, directory, bootId, isAlive)?.pid ?? null;
  try {
    const ids = from.names(directory).filter(isId);
    return { owner, unreadable: ids.flatMap((id) => problemsOf(from, join(directory, id))) };
  } catch (error) {
    return { owner, unreadable: [{ path: directory, reason: (error as Error).message }] };
  }
}

/** A session that is saved, or is to be. */
class Entry implements Writer {
  readonly id: string;
  readonly files: SessionFiles;
  readonly #write: (entry: Entry) => Promise<void>;
  pending: PendingChange | null = null;
  pendingBytes = 0;
  isRemoved = false;
  /** Whether everything given to the store is written; null if unknown. */
  isWhole: boolean | null = null;
  /** Something else is where its files should be, so it is not saved. */
  isForeign = false;
  /** Null while it runs. */
  exitedAtMs: number | null = null;
  /** When and by whom it was saved before it was lost: its files keep that. */
  lost: Stamp | null = null;
  /** Of its files. */
  bytes = 0;

  constructor(id: string, files: SessionFiles, write: (entry: Entry) => Promise<void>) {
    this.id = id;
    this.files = files;
    this.#write = write;
  }

  write(): Promise<void> {
    return this.#write(this);
  }
}

class DiskStore implements SessionStore {
  readonly #options: StoreOptions;
  readonly #files: StoreFiles;
  readonly #directory: string;
  readonly #run = randomUUID();
  readonly #entries = new Map<string, Entry>();
  readonly #writing: Writing;
  readonly #maxSessionBytes: number;
  readonly #maxStoreBytes: number;
  #opening: Promise<void> | null = null;
  #closing: Promise<void> | null = null;
  /** Why files cannot be written. */
  #problem: string | null = null;
  #pendingBytes = 0;

  constructor(options: StoreOptions) {
    this.#options = options;
    this.#files = options.files ?? systemFiles;
    this.#directory = options.directory;
    this.#maxSessionBytes = options.maxSessionBytes ?? maxSessionBytes;
    this.#maxStoreBytes = options.maxStoreBytes ?? maxStoreBytes;
    const { clock } = options;
    this.#writing = new Writing({ clock, onWritten: (error) => this.#onWritten(error) });
  }

  get state(): Persistence {
    if (this.#problem === null) return { state: 'disk' };
    return { state: 'stopped', reason: this.#problem };
  }

  save(id: string, change: SavedChange, afterMs?: number): void {
    if (this.#closing !== null) return;
    const entry = this.#entryOf(id);
    if (entry.isRemoved || entry.isForeign) return;
    this.#setPending(entry, joined(entry.pending ?? noChange, change));
    this.#limitPending();
    if (entry.isWhole === true) this.#markWhole(entry, false);
    this.#writing.add(entry, this.#pendingBytes < maxDelayedBytes ? afterMs : 0);
  }

  exited(id: string): void {
    const entry = this.#entries.get(id);
    if (entry !== undefined) entry.exitedAtMs ??= this.#options.clock.wallMs();
  }

  remove(id: string): void {
    if (this.#closing !== null) return;
    // A session of an earlier daemon, which this one has not saved yet, is on disk only.
    if (!this.#entries.has(id) && !this.#isOnDisk(id)) return;
    const entry = this.#entryOf(id);
    entry.isRemoved = true;
    this.#setPending(entry, null);
    this.#hide(entry);
    this.#writing.add(entry);
  }

  async lost(held: ReadonlySet<string>): Promise<LostSessions> {
    const skipped: SkippedFile[] = [];
    const found: LostSession[] = [];
    try {
      checkOwner(this.#files, this.#directory, this.#self, this.#options.isAlive);
      for (const name of this.#files.names(this.#directory)) {
        if (name.endsWith(removedSuffix)) await this.#discard(name);
        else if (isId(name) && !held.has(name)) await this.#find(name, found, skipped);
      }
    } catch (error) {
      skipped.push({ path: this.#directory, reason: (error as Error).message });
    }
    for (const { path, reason } of skipped) this.#options.log(`cannot read ${path}: ${reason}`);
    found.sort((a, b) => a.savedAtMs - b.savedAtMs);
    return { sessions: this.#keepNewest(found), skipped };
  }

  async stopping(): Promise<void> {
    if (this.#entries.size === 0) return;
    const path = join(this.#directory, stoppingName);
    const write = () => replaceSmallFile(this.#files, path, { run: this.#run });
    await this.#open()
      .then(write)
      .catch((error: Error) => this.#onWritten(error));
  }

  flush(): Promise<void> {
    return this.#writing.flush();
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async removeAll(): Promise<void> {
    this.#closing ??= Promise.resolve();
    for (const entry of this.#entries.values()) this.#setPending(entry, null);
    // A write may be under way.
    await this.flush();
    this.#writing.close();
    checkOwner(this.#files, this.#directory, this.#self, this.#options.isAlive);
    await removeTree(this.#files, this.#directory);
    await this.#removeEmpty(dirname(this.#directory));
  }

  get #self(): StoreOwner & { readonly bootId: string } {
    return { ...this.#options.self, bootId: this.#options.bootId };
  }

  #stamp(): Stamp {
    const { bootId, clock } = this.#options;
    return { run: this.#run, bootId, savedAtMs: clock.wallMs() };
  }

  /** A session that was removed must not be lost if this process is killed now. */
  #hide(entry: Entry): void {
    try {
      checkOwner(this.#files, this.#directory, this.#self, this.#options.isAlive);
      entry.files.hide();
    } catch {
      // It is not on disk, or its removal fails soon, which is reported.
    }
  }

  #isOnDisk(id: string): boolean {
    try {
      return this.#files.names(this.#directory).includes(id);
    } catch {
      return false;
    }
  }

  #entryOf(id: string): Entry {
    const found = this.#entries.get(id);
    if (found !== undefined) return found;
    if (!isId(id)) throw new Error(`${id} is not the id of a session`);
    const stamp = () => this.#entries.get(id)?.lost ?? this.#stamp();
    const files = new SessionFiles(this.#files, join(this.#directory, id), stamp);
    const entry = new Entry(id, files, (each) => this.#write(each));
    this.#entries.set(id, entry);
    return entry;
  }

  /** Takes the directory at the first write. After a failure, the next write tries again. */
  #open(): Promise<void> {
    this.#opening ??= this.#takeDirectory().catch((error) => {
      this.#opening = null;
      throw error;
    });
    return this.#opening;
  }

  async #takeDirectory(): Promise<void> {
    await this.#files.makeDirectory(dirname(this.#directory));
    await this.#files.makeDirectory(this.#directory);
    await takeDirectory(this.#files, this.#directory, this.#self, this.#options.isAlive);
  }

  async #write(entry: Entry): Promise<void> {
    const change = entry.pending;
    if (change === null && !entry.isRemoved) return;
    await this.#open();
    if (entry.isRemoved) return this.#removeFiles(entry);
    if (change === null) return;
    this.#setPending(entry, null);
    try {
      if (await entry.files.make()) entry.isWhole = false;
      if (entry.isWhole !== false) this.#markWhole(entry, false);
      await entry.files.marked;
      entry.bytes = await entry.files.write(change, this.#makeRoom(entry, bytesOf(change)));
      if (entry.pending === null) this.#markWhole(entry, true);
      await entry.files.marked;
    } catch (error) {
      // It failed because its directory is gone.
      if (entry.isRemoved) return;
      if (isForeign(error as Error)) {
        entry.isForeign = true;
        this.#setPending(entry, null);
        const { message } = error as Error;
        this.#options.log(`session ${entry.id} is not saved on disk: ${message}`);
        return;
      }
      entry.isWhole = null;
      // Whatever was written of it can be written again.
      this.#setPending(entry, entry.pending === null ? change : joined(change, entry.pending));
      throw error;
    }
  }

  #markWhole(entry: Entry, isWhole: boolean): void {
    entry.isWhole = isWhole;
    entry.files.markWhole(isWhole);
  }

  async #removeFiles(entry: Entry): Promise<void> {
    await entry.files.remove();
    this.#entries.delete(entry.id);
    this.#writing.delete(entry);
  }

  /**
   * Makes room for a write: removes sessions that have exited, the oldest first, and then the oldest
   * lines of sessions that have more than an equal share.
   *
   * @returns the limit of the session's files
   */
  #makeRoom(entry: Entry, added: number): number {
    const stored = [...this.#entries.values()].filter(({ isRemoved }) => !isRemoved);
    const others = stored.filter((each) => each !== entry);
    const own = Math.min(entry.bytes + added + roundingBytes, this.#maxSessionBytes);
    let left = this.#maxStoreBytes - own;
    for (const { bytes } of others) left -= bytes;
    if (left >= 0) return this.#maxSessionBytes;
    for (const each of others.sort(byExit)) {
      if (left >= 0 || each.exitedAtMs === null) break;
      left += each.bytes;
      this.remove(each.id);
    }
    if (left >= 0) return this.#maxSessionBytes;
    const running = others.filter(({ isRemoved }) => !isRemoved);
    const share = Math.floor(this.#maxStoreBytes / (running.length + 1));
    for (const each of running) if (each.bytes > share) this.#shrink(each);
    return Math.min(share, this.#maxSessionBytes);
  }

  /** A write without a change applies the limit. */
  #shrink(entry: Entry): void {
    this.#setPending(entry, entry.pending ?? noChange);
    this.#writing.add(entry);
  }

  #setPending(entry: Entry, pending: PendingChange | null): void {
    const bytes = pending === null ? 0 : bytesOf(pending);
    this.#pendingBytes += bytes - entry.pendingBytes;
    entry.pending = pending;
    entry.pendingBytes = bytes;
  }

  /** While nothing can be written, the lines of the session with the most are given up. */
  #limitPending(): void {
    if (this.#pendingBytes <= maxPendingBytes) return;
    let largest: Entry | null = null;
    for (const entry of this.#entries.values()) {
      if (entry.pendingBytes > (largest?.pendingBytes ?? 0)) largest = entry;
    }
    if (largest?.pending == null) return;
    this.#setPending(largest, { ...largest.pending, replaceFrom: 0, segments: [] });
  }

  #onWritten(error: Error | null): void {
    const { log } = this.#options;
    if (error !== null) {
      if (this.#problem !== error.message) log(`sessions are not saved on disk: ${error.message}`);
      this.#problem = error.message;
    } else if (this.#problem !== null && !this.#writing.hasFailed) {
      log('sessions are saved on disk again');
      this.#problem = null;
    }
  }

  async #find(id: string, found: LostSession[], skipped: SkippedFile[]): Promise<void> {
    const directory = join(this.#directory, id);
    try {
      this.#files.checkDirectory(directory);
      // A crash left it, before the session was saved.
      if (this.#files.names(directory).every((name) => name.endsWith('.tmp'))) {
        await this.#discard(id);
        return;
      }
      const { facts, stamp, bytes, isWhole, problems } = findSession(this.#files, directory);
      for (const { path, error } of problems) skipped.push({ path, reason: error.message });
      if (problems.some(({ error }) => error instanceof OtherVersion)) return;
      const { savedAtMs } = stamp;
      const entry = this.#entryOf(id);
      entry.exitedAtMs = savedAtMs;
      entry.bytes = bytes;
      entry.lost = stamp;
      const load = () => ({ facts, ...loadSession(this.#files, directory) });
      found.push({ id, facts, endedBy: this.#endOf(stamp), savedAtMs, isWhole, load });
    } catch (error) {
      skipped.push({ path: directory, reason: (error as Error).message });
    }
  }

  #endOf({ bootId, run }: Stamp): LostSession['endedBy'] {
    if (bootId !== this.#options.bootId) return 'reboot';
    const path = join(this.#directory, stoppingName);
    return readSmallFile<{ run: string }>(this.#files, path)?.run === run ? 'stopped' : 'host_lost';
  }

  /** @param found oldest first */
  #keepNewest(found: readonly LostSession[]): LostSession[] {
    const { maxLost: most = maxLost } = this.#options;
    const oldestMs = this.#options.clock.wallMs() - maxLostMs;
    const isKept = ({ savedAtMs }: LostSession, at: number) =>
      savedAtMs >= oldestMs && at >= found.length - most;
    for (const [at, each] of found.entries()) if (!isKept(each, at)) this.remove(each.id);
    return found.filter(isKept);
  }

  async #discard(name: string): Promise<void> {
    // Otherwise at the next start.
    await removeTree(this.#files, join(this.#directory, name)).catch(() => {});
  }

  async #close(): Promise<void> {
    await this.flush();
    this.#writing.close();
    if (this.#opening === null) return;
    await this.#files.remove(join(this.#directory, ownerName)).catch(() => {});
    await this.#removeEmpty(this.#directory);
  }

  async #removeEmpty(directory: string): Promise<void> {
    await this.#files.removeDirectory(directory).catch(() => {});
  }
}

/** Whether a file could not be written because another kind of file is there. */
const isForeign = (error: NodeJS.ErrnoException): boolean =>
  error instanceof ForeignFile || ['ELOOP', 'EISDIR', 'ENOTDIR'].includes(error.code ?? '');

/** Those that exited first come first, those that run last. */
const byExit = (a: Entry, b: Entry): number =>
  (a.exitedAtMs ?? Infinity) - (b.exitedAtMs ?? Infinity) || 0;
