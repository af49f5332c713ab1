import { ignored } from '#base';
import { type StoreFiles, unlessMissing } from './store-files.ts';

/** An empty file that exists while something is true. */
export class Mark {
  readonly #files: StoreFiles;
  readonly #path: string;
  #last: Promise<void> = Promise.resolve();

  constructor(files: StoreFiles, path: string) {
    this.#files = files;
    this.#path = path;
  }

  /** Makes or removes the file, soon. See {@link settled}. */
  set(is: boolean): void {
    this.#last = this.#last.then(() =>
      is ? this.#make() : this.#files.remove(this.#path).catch(unlessMissing),
    );
    ignored(this.#last, 'those who wait get the error');
  }

  /** Resolves when the file is made or removed. Rejects, once, if it cannot be. */
  get settled(): Promise<void> {
    const last = this.#last;
    this.#last = ignored(last, 'the caller gets the error');
    return last;
  }

  async #make(): Promise<void> {
    const file = await this.#files.create(this.#path);
    await file.close();
  }
}
