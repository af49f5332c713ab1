import { constants } from 'node:fs';
import { type FileHandle, open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { defined, ignored, Outages, ownTimers, type Timers } from '#base';
import { type ForwardTo, makeDirectory } from '#config';
import { type ForwardState, ioError } from '#model';
import type { ForwardedEntry, ForwardTarget } from './forward-targets.ts';
import { parsed } from './read-trail.ts';
import { lineFeed, nameOf, newestOf, numbersOf } from './trail.ts';

export interface ForwarderOptions {
  /** That of the trail. */
  readonly directory: string;
  readonly target: ForwardTarget;
  /** What it is, as in server.toml, and its path. */
  readonly kind: ForwardTo['kind'];
  readonly path: string;
  /** Called when entries cannot be forwarded for the first time, and when they are again. */
  readonly log: (line: string) => void;
  readonly timers?: Timers;
}

/** How many entries are handed over at a time. */
const batch = 64;
/** How long the first entry waits for others, and how often it is noted what was forwarded, in ms. */
const gatherMs = 20;
const noteMs = 1000;
const patience = { firstPauseMs: 250, maxPauseMs: 30_000 };

/**
 * Forwards the entries of a trail. It reads them from the trail's files, so that what cannot be forwarded waits there:
 * until the target takes it, also across restarts of the daemon, or until the trail's limit removes it. After a crash,
 * entries of the last second may be forwarded twice.
 */
export class Forwarder {
  readonly #options: ForwarderOptions;
  readonly #timers: Timers;
  readonly #outages: Outages;
  readonly #unsent: UnsentEntries;
  readonly #running: Promise<void>;
  /** Ends the wait for entries. */
  #wake: () => void = () => {};
  /** The number of the newest entry of the trail. */
  #newest = 0;
  /** Whether entries may have been written since they were last looked for. */
  #hasMore = true;
  #isOpen = false;
  #isClosing = false;
  #isFailing = false;
  #reason: string | undefined;
  #notedMs = 0;

  constructor(options: ForwarderOptions) {
    this.#options = options;
    this.#timers = options.timers ?? ownTimers;
    this.#outages = new Outages(this.#timers, patience);
    this.#unsent = new UnsentEntries(options.directory);
    this.#running = this.#run();
  }

  get state(): ForwardState {
    const { lost, seq } = this.#unsent;
    return {
      to: this.#to,
      waiting: Math.max(0, this.#newest - seq),
      lost,
      isFailing: this.#isFailing,
      ...defined({ reason: this.#reason }),
    };
  }

  get #to(): string {
    return `${this.#options.kind}:${this.#options.path}`;
  }

  /** Entries up to this number are written. Returns at once. */
  note(newest: number): void {
    this.#newest = newest;
    this.#hasMore = true;
    this.#wake();
  }

  /** Tries once more to forward what waits. Never fails. */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.#outages.end();
    this.#wake();
    await this.#running;
    await this.#unsent.close();
    await this.#options.target.close();
  }

  async #run(): Promise<void> {
    for (;;) {
      const isLast = this.#isClosing;
      const isDone = await this.#forward();
      await this.#noteSent(isLast);
      if (isLast) return;
      if (isDone) await this.#more();
      else if (this.#outages.lost()) await this.#outages.pause();
    }
  }

  /** Resolves some milliseconds after there may be more entries. */
  async #more(): Promise<void> {
    if (!this.#hasMore && !this.#isClosing) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    if (this.#isClosing) return;
    await new Promise<void>((resolve) => {
      const timer = this.#timers.schedule(gatherMs, resolve);
      this.#wake = () => {
        if (!this.#isClosing) return;
        timer.dispose();
        resolve();
      };
    });
  }

  /** Forwards all that there is. @returns whether it could */
  async #forward(): Promise<boolean> {
    this.#hasMore = false;
    try {
      if (!this.#isOpen) this.#newest = Math.max(this.#newest, await this.#unsent.open());
      this.#isOpen = true;
      for (;;) {
        const entries = await this.#unsent.next(batch);
        if (entries.length === 0) break;
        const { count, error } = await this.#options.target.send(entries);
        this.#unsent.advance(count);
        if (error !== null) {
          this.#fails(error, this.#options.path, 'written');
          return false;
        }
      }
      this.#works();
    } catch (error) {
      this.#fails(error, this.#options.directory, 'read');
      return false;
    }
    return true;
  }

  #fails(error: unknown, path: string, done: 'read' | 'written'): void {
    this.#reason = ioError(path, done, error).message;
    if (this.#isFailing) return;
    this.#isFailing = true;
    this.#options.log(`warning: the audit trail is not forwarded: ${this.#reason}`);
  }

  #works(): void {
    if (!this.#isFailing) return;
    this.#isFailing = false;
    this.#reason = undefined;
    this.#outages.back();
    this.#options.log(`the audit trail is forwarded to ${this.#to} again`);
  }

  async #noteSent(isLast: boolean): Promise<void> {
    const now = this.#timers.nowMs();
    if (!isLast && now - this.#notedMs < noteMs) return;
    this.#notedMs = now;
    await ignored(this.#unsent.save(), 'more entries are forwarded twice after a crash');
  }
}

/** The file beside those of the trail that has what was forwarded. */
const positionName = 'forwarded.json';

/** Forgets what was forwarded, so that the next forwarder begins with new entries. Never fails. */
export const forgetForwarded = async (directory: string): Promise<void> =>
  ignored(rm(join(directory, positionName), { force: true }), 'older entries are forwarded, too');

/** A place in the files of a trail. */
interface Position {
  /** The number of a file. */
  readonly file: number;
  /** In bytes. */
  readonly offset: number;
  /** The number of the entry before it; 0: none. */
  readonly seq: number;
}

interface UnsentEntry extends ForwardedEntry {
  /** How many entries before it were removed. */
  readonly missing: number;
  readonly after: Position;
}

/** A longer line is not of a trail, in bytes. */
const readBytes = 256 * 1024;

/** The entries of a trail that were not forwarded, read from its files. */
class UnsentEntries {
  readonly #directory: string;
  #position: Position = { file: 0, offset: 0, seq: 0 };
  #saved: Position | null = null;
  #file: FileHandle | null = null;
  readonly #buffer = Buffer.alloc(readBytes);
  /** What {@link next} has returned. */
  #entries: readonly UnsentEntry[] = [];
  /** Entries up to this number are left out: they were forwarded, and are read again. */
  #skipped = 0;
  /** Entries that were removed before they were forwarded. */
  lost = 0;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** The number of the last entry that was forwarded. */
  get seq(): number {
    return this.#position.seq;
  }

  /** Begins where the last forwarder ended, or with new entries. @returns the newest entry. @throws Error */
  async open(): Promise<number> {
    makeDirectory(this.#directory);
    const { seq: newest, file, size } = await newestOf(this.#directory);
    const saved = await this.#load();
    if (saved === null) this.#position = { file, offset: size, seq: newest };
    // If the trail was removed, it has begun with 1 again.
    else if (saved.seq <= newest) this.#position = saved;
    this.#saved = saved;
    await this.save();
    return newest;
  }

  /** Returns the next entries, also those that were returned and not forwarded. @throws Error of the system */
  async next(max: number): Promise<readonly ForwardedEntry[]> {
    while (this.#entries.length === 0) {
      const file = this.#file ?? (await this.#openFile());
      if (file === null) return [];
      const { bytesRead } = await file.read(this.#buffer, 0, readBytes, this.#position.offset);
      if (bytesRead > 0 && this.#take(this.#buffer.subarray(0, bytesRead))) continue;
      if (!(await this.#moveOn(file, this.#position.offset + bytesRead))) return [];
    }
    return this.#entries.slice(0, max);
  }

  /** Must be called when the first `count` of the entries that {@link next} returned are forwarded. */
  advance(count: number): void {
    const last = this.#entries[count - 1];
    if (last === undefined) return;
    this.#position = last.after;
    for (const { missing } of this.#entries.slice(0, count)) this.lost += missing;
    this.#entries = this.#entries.slice(count);
  }

  /** @throws Error of the system */
  async save(): Promise<void> {
    const position = this.#position;
    if (position === this.#saved) return;
    const path = join(this.#directory, positionName);
    await writeFile(`${path}.new`, JSON.stringify(position), { mode: 0o600 });
    await rename(`${path}.new`, path);
    this.#saved = position;
  }

  async close(): Promise<void> {
    const file = this.#file;
    this.#file = null;
    await ignored(file?.close(), 'it was read only');
  }

  /** @returns null if nothing was forwarded. @throws Error of the system */
  async #load(): Promise<Position | null> {
    let text = '';
    try {
      text = await readFile(join(this.#directory, positionName), 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
    try {
      const { file, offset, seq } = JSON.parse(text);
      return [file, offset, seq].every(Number.isSafeInteger) ? { file, offset, seq } : null;
    } catch {
      return null;
    }
  }

  /** Takes the complete lines of what was read. @returns whether there is one */
  #take(bytes: Buffer): boolean {
    const { file, offset } = this.#position;
    let { seq } = this.#position;
    const entries: UnsentEntry[] = [];
    let start = 0;
    for (let end = bytes.indexOf(lineFeed); end !== -1; end = bytes.indexOf(lineFeed, start)) {
      const line = bytes.toString('utf8', start, end);
      start = end + 1;
      // A line that is not complete is counted by the readers of the trail.
      const entry = parsed(line);
      if (entry === null) continue;
      const number = entry.seq ?? seq;
      if (number <= this.#skipped) continue;
      const missing = Math.max(0, number - seq - 1);
      seq = number;
      entries.push({ entry, line, missing, after: { file, offset: offset + start, seq } });
    }
    if (start === 0 && bytes.length < readBytes) return false;
    this.#entries = entries;
    // Nothing to forward is forwarded.
    const end = start === 0 ? bytes.length : start;
    if (entries.length === 0) this.#position = { file, offset: offset + end, seq };
    return true;
  }

  /** @returns null if the trail has no file */
  async #openFile(): Promise<FileHandle | null> {
    const numbers = await this.#numbers();
    const { file: number, offset, seq } = this.#position;
    const chosen = numbers.includes(number) ? number : numbers[0];
    if (chosen === undefined) return null;
    const path = join(this.#directory, nameOf(chosen));
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    // Closed later, whatever fails.
    this.#file = file;
    const { size } = await file.stat();
    if (chosen === number && offset <= size) return file;
    // What was forwarded of this file is not known.
    this.#skipped = seq;
    this.#position = { file: chosen, offset: 0, seq };
    return file;
  }

  /**
   * Goes on after the end of a file.
   *
   * @param end where it ended when it was read
   * @returns whether there is more to read
   */
  async #moveOn(file: FileHandle, end: number): Promise<boolean> {
    const { file: number, offset, seq } = this.#position;
    const numbers = await this.#numbers();
    // Looked at after the list: a file that has a successor grows no more.
    const { size, nlink } = await file.stat();
    if (nlink > 0 && size > end) return true;
    const next = numbers.find((each) => each > number);
    const isGone = nlink === 0 || size < offset;
    if (!isGone && next === undefined) return false;
    await this.close();
    this.#position = { file: isGone ? -1 : (next ?? number), offset: 0, seq };
    return numbers.length > 0;
  }

  async #numbers(): Promise<number[]> {
    try {
      return numbersOf(await readdir(this.#directory));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw error;
    }
  }
}
