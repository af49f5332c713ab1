import { readdirSync, rmdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeDirectory } from '#config';
import { systemReason } from '#model';
import { ArchivePart, SessionArchive } from './session-archive.ts';

export interface ArchiveFilesOptions {
  /** Absolute; of one coordinator. Made when there is something to write. */
  readonly directory: string;
  /** The limit of all archives, in bytes. The oldest parts of the largest archive are removed first. */
  readonly maxBytes: number;
  readonly log: (line: string) => void;
}

const idPattern = /^[A-Za-z0-9-]{1,64}$/;

/** The archives of a coordinator's sessions, each in a directory of its own. Contract: `LineArchives` of `session`. */
export class ArchiveFiles {
  readonly #options: ArchiveFilesOptions;
  readonly #open = new Map<string, SessionArchive>();
  #isFailing = false;

  constructor(options: ArchiveFilesOptions) {
    this.#options = options;
  }

  open(id: string, key: Uint8Array, isLeft: boolean): SessionArchive {
    const directory = join(this.#options.directory, id);
    const archive = new SessionArchive({
      directory,
      key,
      earlier: isLeft ? this.#partsIn(directory) : [],
      makeDirectory: () => {
        makeDirectory(this.#options.directory);
        makeDirectory(directory);
      },
      onGrown: () => this.#grown(),
      onFailed: (error) => this.#failed(error),
    });
    this.#open.set(id, archive);
    return archive;
  }

  remove(id: string): void {
    this.#open.get(id)?.erase();
    this.#open.delete(id);
    if (idPattern.test(id)) this.#removeDirectory(id);
  }

  keepOnly(ids: ReadonlySet<string>): void {
    for (const name of this.#names(this.#options.directory)) {
      if (idPattern.test(name) && !ids.has(name)) this.#removeDirectory(name);
    }
  }

  /** Ends the writing. The archives stay for the next coordinator, or are removed with `all`. */
  close(all: boolean): void {
    for (const archive of this.#open.values()) {
      if (all) archive.erase();
      else archive.close();
    }
    this.#open.clear();
    if (!all) return;
    this.keepOnly(new Set());
    this.#removeEmpty(this.#options.directory);
    this.#removeEmpty(dirname(this.#options.directory));
  }

  #removeEmpty(directory: string): void {
    try {
      rmdirSync(directory);
    } catch {
      // It does not exist, or others use it.
    }
  }

  #grown(): void {
    this.#isFailing = false;
    const archives = [...this.#open.values()];
    let bytes = archives.reduce((sum, each) => sum + each.bytes, 0);
    while (bytes > this.#options.maxBytes) {
      const droppable = archives.filter(({ canDrop }) => canDrop);
      const [first] = droppable;
      if (first === undefined) return;
      const largest = droppable.reduce(
        (most, each) => (each.bytes > most.bytes ? each : most),
        first,
      );
      bytes -= largest.bytes;
      largest.dropOldest();
      bytes += largest.bytes;
    }
  }

  #partsIn(directory: string): ArchivePart[] {
    return this.#names(directory)
      .filter((name) => /^\d{16}\.lines$/.test(name))
      .sort()
      .flatMap((name) => this.#part(join(directory, name)) ?? []);
  }

  #part(path: string): ArchivePart | null {
    try {
      return ArchivePart.ofEarlier(path);
    } catch (error) {
      this.#failed(error as Error);
      return null;
    }
  }

  #names(directory: string): readonly string[] {
    try {
      return readdirSync(directory);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') this.#failed(error as Error);
      return [];
    }
  }

  #removeDirectory(name: string): void {
    try {
      rmSync(join(this.#options.directory, name), { recursive: true, force: true });
    } catch (error) {
      this.#failed(error as Error);
    }
  }

  /** Reports the first failure of several. */
  #failed(error: Error): void {
    if (!this.#isFailing) {
      const { directory, log } = this.#options;
      log(
        `warning: lines above the scrollback are not archived: ${directory}: ${systemReason(error)}`,
      );
    }
    this.#isFailing = true;
  }
}
