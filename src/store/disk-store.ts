import { randomUUID } from 'node:crypto';
import { basename, dirname, join } from 'node:path';
import { type Clock, defined, ignored } from '#base';
import { type Persistence, systemReason } from '#model';
import type { SavedChange } from '#pty';
import { noticeDamaged, removedSuffix } from './damaged.ts';
import { byExit, Entry, journaledWith } from './entry.ts';
import {
  type FoundJournals,
  type FoundRecord,
  journalsAside,
  readJournals,
} from './journal/journal-files.ts';
import { isForJournal, Journaling } from './journal/journaling.ts';
import {
  checkOwner,
  isId,
  ownerName,
  readSmallFile,
  replaceSmallFile,
  type StoreOwner,
  stoppingName,
  takeDirectory,
} from './owner.ts';
import { bytesOf, joined, noChange, type PendingChange, savedWith } from './pending-change.ts';
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
  isDamage,
  loadSession,
  removeTree,
  SessionFiles,
  type Stamp,
} from './session-files.ts';
import { ForeignFile, type StoreFiles, systemFiles } from './store-files.ts';
import { Writing } from './writing.ts';

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
  readonly maxJournalBytes?: number;
}

/** What waits to be written while the disk is full, in bytes, for all sessions. */
const maxPendingBytes = 64 * 1024 * 1024;

/** Beyond what waits, in bytes, no change waits for longer than others. */
const maxDelayedBytes = 8 * 1024 * 1024;

/** A larger change is written to the files of its session: it costs more than their operations. */
const maxRecordBytes = 64 * 1024;

/** Facts, heads and headers beyond the bytes of a change. */
const roundingBytes = 4096;

/** Returns a store in a directory. Never fails: see {@link SessionStore.state}. */
export const openStore = (options: StoreOptions): SessionStore => new DiskStore(options);

/** What is found on disk. */
interface Findings {
  readonly sessions: LostSession[];
  readonly skipped: SkippedFile[];
  readonly missing: SkippedFile[];
}

class DiskStore implements SessionStore {
  readonly #options: StoreOptions;
  readonly #files: StoreFiles;
  readonly #directory: string;
  readonly #run = randomUUID();
  readonly #onGone: ((id: string) => void)[] = [];
  readonly #entries = new Map<string, Entry>();
  readonly #writing: Writing;
  readonly #journaling: Journaling;
  readonly #maxSessionBytes: number;
  readonly #maxStoreBytes: number;
  #opening: Promise<void> | null = null;
  #closing: Promise<void> | null = null;
  /** What earlier daemons left in journals; null: not read yet. */
  #journals: FoundJournals | null = null;
  #isFlushing = false;
  #damaged: readonly SkippedFile[] = [];
  /** Why files cannot be written. */
  #problem: string | null = null;
  #pendingBytes = 0;

  constructor(options: StoreOptions) {
    this.#options = options;
    this.#files = options.files ?? systemFiles;
    this.#directory = options.directory;
    this.#maxSessionBytes = options.maxSessionBytes ?? maxSessionBytes;
    this.#maxStoreBytes = options.maxStoreBytes ?? maxStoreBytes;
    const { clock, maxJournalBytes } = options;
    this.#writing = new Writing({ clock, onWritten: (error) => this.#onWritten(error) });
    this.#journaling = new Journaling({
      files: this.#files,
      directory: this.#directory,
      clock,
      stamp: () => this.#stamp(),
      entries: () => this.#entries.values(),
      take: (entry) => {
        const { pending } = entry;
        this.#setPending(entry, null);
        return pending;
      },
      giveBack: (entry, change) => this.#giveBack(entry, change),
      settle: (entry) => this.#writing.add(entry),
      ...defined({ maxBytes: maxJournalBytes }),
    });
  }

  get state(): Persistence {
    if (this.#problem === null) return { state: 'disk' };
    return { state: 'stopped', reason: this.#problem };
  }

  get damaged(): readonly SkippedFile[] {
    if (this.#damaged.length === 0) return [];
    try {
      const names = new Set(this.#files.names(this.#directory));
      return this.#damaged.filter(({ path }) => names.has(basename(path)));
    } catch {
      // What was removed since is not known.
      return this.#damaged;
    }
  }

  onGone(listener: (id: string) => void): void {
    this.#onGone.push(listener);
  }

  save(id: string, change: SavedChange, afterMs?: number): void {
    if (this.#closing !== null) return;
    const entry = this.#entryOf(id);
    if (entry.isRemoved || entry.isForeign) return;
    this.#setPending(entry, joined(entry.pending ?? noChange, change));
    this.#limitPending();
    if (entry.isWhole === true) this.#markWhole(entry, { isWhole: false });
    if (entry.journaled !== null) this.#journaling.changed();
    entry.changedMs = this.#options.clock.nowMs();
    entry.isPart = false;
    entry.earlier = null;
    if (afterMs === undefined && this.#isForJournal(entry)) this.#journaling.add(entry);
    else this.#writing.add(entry, this.#pendingBytes < maxDelayedBytes ? afterMs : 0);
  }

  exited(id: string): void {
    const entry = this.#entries.get(id);
    if (entry !== undefined) entry.exitedAtMs ??= this.#options.clock.wallMs();
  }

  remove(id: string, after?: string): void {
    if (this.#closing !== null) return;
    const heir = after === undefined ? undefined : this.#entries.get(after);
    if (heir === undefined || heir.isRemoved || heir.isForeign) this.#remove(id);
    else {
      heir.continues = [...heir.continues, id];
      this.#writing.add(heir);
    }
  }

  #remove(id: string): void {
    // A session of an earlier daemon, which this one has not saved yet, is on disk only.
    if (!this.#entries.has(id) && !this.#isOnDisk(id)) return;
    const entry = this.#entryOf(id);
    for (const each of entry.takeContinued()) this.#remove(each);
    entry.isRemoved = true;
    this.#setPending(entry, null);
    entry.journaled = null;
    this.#hide(entry);
    this.#writing.add(entry);
  }

  async lost(ids: ReadonlySet<string>): Promise<LostSessions> {
    const skipped: SkippedFile[] = [];
    const sessions: LostSession[] = [];
    const missing: SkippedFile[] = [];
    try {
      checkOwner(this.#files, this.#directory, this.#self, this.#options.isAlive);
      const { problems } = this.#readJournals();
      skipped.push(...problems);
      for (const name of this.#files.names(this.#directory)) {
        if (name.endsWith(removedSuffix)) await this.#discard(name);
        else if (isId(name) && !ids.has(name))
          await this.#find(name, { sessions: sessions, skipped, missing });
      }
      await noticeDamaged(this.#files, this.#directory, missing).catch((error: Error) =>
        this.#options.log(`the notice of damaged sessions cannot be written: ${problemOf(error)}`),
      );
      this.#damaged = [...missing, ...journalsAside(this.#files, this.#directory)];
      this.#journaling.released();
      await this.#journaling.idle;
    } catch (error) {
      skipped.push({ path: this.#directory, reason: (error as Error).message });
    }
    for (const { path, reason } of skipped) this.#options.log(`cannot read ${path}: ${reason}`);
    sessions.sort((a, b) => a.savedAtMs - b.savedAtMs);
    return { sessions: this.#keepNewest(sessions), skipped };
  }

  async stopping(): Promise<void> {
    if (this.#entries.size === 0) return;
    const path = join(this.#directory, stoppingName);
    const write = () => replaceSmallFile(this.#files, path, { run: this.#run });
    await this.#open()
      .then(write)
      .catch((error: Error) => this.#onWritten(error));
  }

  /** Everything is written to the sessions' own files: nothing is left to do for the next daemon. */
  async flush(): Promise<void> {
    this.#isFlushing = true;
    await this.#journaling.idle;
    for (const entry of this.#entries.values()) {
      if (entry.pending !== null || entry.journaled !== null) this.#writing.add(entry);
    }
    await this.#writing.flush();
    this.#isFlushing = false;
    await this.#journaling.idle;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async removeAll(): Promise<void> {
    this.#closing ??= Promise.resolve();
    for (const entry of this.#entries.values()) {
      this.#setPending(entry, null);
      entry.journaled = null;
    }
    // A write may be under way.
    await this.flush();
    this.#writing.close();
    this.#journaling.close();
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
      // It may be: its removal is tried, and its failure reported.
      return true;
    }
  }

  #entryOf(id: string): Entry {
    const record = this.#entries.get(id);
    if (record !== undefined) return record;
    if (!isId(id)) throw new Error(`${id} is not the id of a session`);
    const stamp = () => {
      const entry = this.#entries.get(id);
      return entry?.lost ?? entry?.earlier ?? this.#stamp();
    };
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
    this.#readJournals();
  }

  /** What journals have of sessions is written to their files soon, and the journals are removed. */
  #readJournals(): FoundJournals {
    if (this.#journals !== null) return this.#journals;
    const journals = readJournals(this.#files, this.#directory);
    this.#journals = { ...journals, records: new Map() };
    this.#journaling.continueAfter(journals);
    for (const [id, records] of journals.records) {
      if (isId(id) && this.#isOnDisk(id)) this.#findJournaled(id, records, journals.isWhole);
    }
    return journals;
  }

  #findJournaled(id: string, records: readonly FoundRecord[], isWhole: boolean): void {
    try {
      const { counts, problems } = findSession(this.#files, join(this.#directory, id));
      if (problems.some(({ error }) => error instanceof OtherVersion)) return;
      const entry = this.#entryOf(id);
      for (const { journal, ...record } of records) {
        if (record.count <= counts.state) continue;
        const { facts, ...rest } = record.change;
        // Facts are written before the state.
        const change = record.count <= counts.facts ? rest : record.change;
        entry.journaled = journaledWith(entry.journaled, { ...record, change }, journal);
        entry.earlier = record.stamp;
      }
      if (entry.journaled === null) return;
      entry.isPart = !isWhole;
      this.#writing.add(entry);
    } catch {
      // It is reported with the session.
    }
  }

  async #write(entry: Entry): Promise<void> {
    if (entry.pending === null && entry.journaled === null && !entry.isRemoved) {
      for (const id of entry.takeContinued()) this.#remove(id);
      return;
    }
    entry.isWriting = true;
    try {
      await this.#open();
      // The write of a journal that is under way can have it, too.
      await this.#journaling.idle;
      if (entry.isRemoved) await this.#removeFiles(entry);
      else await this.#writeFiles(entry);
    } finally {
      entry.isWriting = false;
    }
    this.#journaling.released();
  }

  async #writeFiles(entry: Entry): Promise<void> {
    const { pending, journaled, continues } = entry;
    if (pending === null && journaled === null) return;
    this.#setPending(entry, null);
    const change = joined(journaled?.change ?? noChange, pending ?? noChange);
    try {
      await this.#writeChange(entry, change);
      for (const id of entry.takeContinued(continues.length)) this.#remove(id);
    } catch (error) {
      // It failed because its directory is gone.
      if (entry.isRemoved) return;
      if (isForeign(error as Error)) {
        entry.isForeign = true;
        this.#setPending(entry, null);
        entry.journaled = null;
        const { message } = error as Error;
        this.#options.log(`session ${entry.id} is not saved on disk: ${message}`);
        return;
      }
      entry.isWhole = null;
      // Whatever was written of it can be written again.
      this.#giveBack(entry, pending ?? noChange);
      if (entry.isAgain || (error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      await this.#writeAgain(entry);
    }
  }

  async #writeChange(entry: Entry, change: PendingChange): Promise<void> {
    const { journaled, files } = entry;
    if (await files.make()) entry.isWhole = false;
    if (entry.isWhole !== false) this.#markWhole(entry, { isWhole: false });
    await files.mark.settled;
    const room = this.#makeRoom(entry, bytesOf(change));
    entry.bytes = await files.write(change, room, journaled?.count);
    // Before the journal is removed.
    if (journaled !== null) await files.syncNames();
    entry.journaled = null;
    if (entry.pending === null && !entry.isPart) this.#markWhole(entry, { isWhole: true });
    await files.mark.settled;
  }

  /** Makes the files of a session again that another program has removed, and asks for all that was in them. */
  async #writeAgain(entry: Entry): Promise<void> {
    const text = 'were removed by another program; they are made again';
    this.#options.log(`saved files of session ${entry.id} ${text}`);
    entry.files.forget();
    entry.isPart = true;
    entry.isAgain = true;
    try {
      this.#opening = null;
      await this.#open();
      await this.#writeFiles(entry);
    } finally {
      entry.isAgain = false;
    }
    for (const listener of this.#onGone) listener(entry.id);
  }

  #giveBack(entry: Entry, change: PendingChange): void {
    if (entry.isRemoved) return;
    this.#setPending(entry, entry.pending === null ? change : joined(change, entry.pending));
  }

  /** Whether a change is written to a journal, and not to the session's own files. */
  #isForJournal(entry: Entry): boolean {
    if (!this.#journaling.isUsable || this.#isFlushing || entry.lost !== null) return false;
    return isForJournal(entry) && entry.pendingBytes <= maxRecordBytes && !entry.files.isGone;
  }

  #markWhole(entry: Entry, { isWhole }: { readonly isWhole: boolean }): void {
    entry.isWhole = isWhole;
    entry.files.mark.set(isWhole);
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
      const problem = problemOf(error);
      if (this.#problem !== problem) log(`sessions are not saved on disk: ${problem}`);
      this.#problem = problem;
    } else if (this.#problem !== null && !this.#writing.hasFailed) {
      log('sessions are saved on disk again');
      this.#problem = null;
    }
  }

  async #find(id: string, { sessions, skipped, missing }: Findings): Promise<void> {
    const directory = join(this.#directory, id);
    try {
      this.#files.checkDirectory(directory);
      // A crash left it, before the session was saved.
      if (this.#files.names(directory).every((name) => name.endsWith('.tmp'))) {
        await this.#discard(id);
        return;
      }
      const { problems, ...files } = findSession(this.#files, directory);
      const other = problems.find(({ error }) => error instanceof OtherVersion);
      if (other !== undefined) throw other.error;
      for (const { path, error } of problems) skipped.push({ path, reason: error.message });
      const entry = this.#entryOf(id);
      const { journaled } = entry;
      const facts = journaled?.change.facts ?? files.facts;
      const stamp = entry.earlier ?? files.stamp;
      const { savedAtMs } = stamp;
      entry.exitedAtMs = savedAtMs;
      entry.bytes = files.bytes;
      entry.lost = stamp;
      const isWhole = journaled === null ? files.isWhole : !entry.isPart;
      const onUnreadable = (error: Error) =>
        this.#options.log(`session ${id} is restored in part: ${problemOf(error)}`);
      const load = () => {
        const saved = { facts, ...loadSession(this.#files, directory, onUnreadable) };
        return savedWith(saved, entry.journaled?.change ?? noChange);
      };
      sessions.push({ id, facts, endedBy: this.#endOf(stamp), savedAtMs, isWhole, load });
    } catch (error) {
      const unread = { path: directory, reason: (error as Error).message };
      skipped.push(unread);
      missing.push(isDamage(error) ? unread : { ...unread, isKept: true });
    }
  }

  #endOf({ bootId, run }: Stamp): LostSession['endedBy'] {
    if (bootId !== this.#options.bootId) return 'reboot';
    const path = join(this.#directory, stoppingName);
    return readSmallFile<{ run: string }>(this.#files, path)?.run === run ? 'stopped' : 'host_lost';
  }

  /** @param sessions oldest first */
  #keepNewest(sessions: readonly LostSession[]): LostSession[] {
    const { maxLost: most = maxLost } = this.#options;
    const oldestMs = this.#options.clock.wallMs() - maxLostMs;
    const isKept = ({ savedAtMs }: LostSession, at: number) =>
      savedAtMs >= oldestMs && at >= sessions.length - most;
    for (const [at, each] of sessions.entries()) if (!isKept(each, at)) this.remove(each.id);
    return sessions.filter(isKept);
  }

  async #discard(name: string): Promise<void> {
    await ignored(
      removeTree(this.#files, join(this.#directory, name)),
      'the next start removes it',
    );
  }

  async #close(): Promise<void> {
    await this.flush();
    this.#writing.close();
    this.#journaling.close();
    if (this.#opening === null) return;
    await ignored(
      this.#files.remove(join(this.#directory, ownerName)),
      'the next daemon replaces it',
    );
    await this.#removeEmpty(this.#directory);
  }

  async #removeEmpty(directory: string): Promise<void> {
    await ignored(this.#files.removeDirectory(directory), 'it is not empty');
  }
}

/** Whether a file could not be written because another kind of file is there. */
const isForeign = (error: NodeJS.ErrnoException): boolean =>
  error instanceof ForeignFile || ['ELOOP', 'EISDIR', 'ENOTDIR'].includes(error.code ?? '');

/** The path and the reason of what the system refused. */
function problemOf(error: NodeJS.ErrnoException): string {
  const reason = systemReason(error);
  return error.path === undefined ? reason : `${error.path}: ${reason}`;
}
