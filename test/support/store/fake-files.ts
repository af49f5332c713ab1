import { basename, dirname } from 'node:path';
import { ForeignFile, type StoreFile, type StoreFiles } from '../../../src/store/store-files.ts';

interface FileNode {
  /** As processes see it. */
  content: Uint8Array;
  /** As it is after a loss of power. */
  permanent: Uint8Array;
}

/** What happens at an operation: `fail` once, `stop` forever, half of a write is done before. */
export interface Fault {
  /** The number of the operation, from 0. */
  readonly at: number;
  readonly kind: 'fail' | 'stop';
  readonly code?: string;
}

const error = (code: string, path: string): NodeJS.ErrnoException =>
  Object.assign(new Error(`${code}: ${path}`), { code });

/** A file system in memory that fails or stops at an operation. */
export class FakeFiles implements StoreFiles {
  #nodes = new Map<string, FileNode | 'directory'>([['/', 'directory']]);
  /** Operations that change something, so far. */
  count = 0;
  /** The paths of directories that are symbolic links. */
  readonly links = new Set<string>();
  fault: Fault | null = null;
  /** The path of the operation at which it stopped. */
  stoppedAt: string | null = null;

  /** Returns the files as a process finds them that starts after this one was killed. */
  afterKill(): FakeFiles {
    return this.#copy(({ content }) => content);
  }

  /** Returns the files after a loss of power: what was not synchronised is lost. */
  afterPowerLoss(): FakeFiles {
    return this.#copy(({ permanent }) => permanent);
  }

  /** The paths of all files. */
  get paths(): string[] {
    return [...this.#nodes].filter(([, node]) => node !== 'directory').map(([path]) => path);
  }

  get bytes(): number {
    return this.bytesIn('');
  }

  bytesIn(directory: string): number {
    let sum = 0;
    for (const [path, node] of this.#nodes) {
      if (node !== 'directory' && path.startsWith(`${directory}/`)) sum += node.content.length;
    }
    return sum;
  }

  /** Writes a file at once. */
  put(path: string, content: Uint8Array): void {
    this.#nodes.set(path, { content, permanent: content });
  }

  /** Removes a file or a directory with all that is in it, as another program does. */
  drop(path: string): void {
    for (const each of [...this.#nodes.keys()]) {
      if (each === path || each.startsWith(`${path}/`)) this.#nodes.delete(each);
    }
  }

  async makeDirectory(path: string): Promise<boolean> {
    await this.#operation(path);
    const isNew = !this.#nodes.has(path);
    for (let each = path; each !== '/'; each = dirname(each)) this.#nodes.set(each, 'directory');
    return isNew;
  }

  checkDirectory(path: string): void {
    if (this.links.has(path)) throw new ForeignFile(`${path} is a symbolic link`);
  }

  names(path: string): readonly string[] {
    return [...this.#nodes.keys()]
      .filter((each) => each !== path && dirname(each) === path)
      .map((each) => basename(each));
  }

  async read(path: string): Promise<Uint8Array> {
    return this.readSync(path);
  }

  readSync(path: string): Uint8Array {
    return this.#file(path).content.slice();
  }

  async create(path: string): Promise<StoreFile> {
    await this.#operation(path);
    if (this.#nodes.has(path)) throw error('EEXIST', path);
    if (this.#nodes.get(dirname(path)) !== 'directory') throw error('ENOENT', path);
    const node = { content: new Uint8Array(0), permanent: new Uint8Array(0) };
    this.#nodes.set(path, node);
    return this.#opened(path, node);
  }

  async open(path: string): Promise<StoreFile> {
    await this.#operation(path);
    return this.#opened(path, this.#file(path));
  }

  async rename(from: string, to: string): Promise<void> {
    await this.#operation(from);
    this.renameSync(from, to);
  }

  renameSync(from: string, to: string): void {
    if (!this.#nodes.has(from)) throw error('ENOENT', from);
    for (const [path, node] of [...this.#nodes]) {
      if (path !== from && !path.startsWith(`${from}/`)) continue;
      this.#nodes.delete(path);
      this.#nodes.set(to + path.slice(from.length), node);
    }
  }

  async remove(path: string): Promise<void> {
    await this.#operation(path);
    const node = this.#nodes.get(path);
    if (node === undefined) throw error('ENOENT', path);
    if (node === 'directory') throw error('EISDIR', path);
    this.#nodes.delete(path);
  }

  async removeDirectory(path: string): Promise<void> {
    await this.#operation(path);
    if (!this.#nodes.has(path)) throw error('ENOENT', path);
    if (this.names(path).length > 0) throw error('ENOTEMPTY', path);
    this.#nodes.delete(path);
  }

  async syncDirectory(path: string): Promise<void> {
    await this.#operation(path);
  }

  #opened(path: string, node: FileNode): StoreFile {
    return {
      write: async (bytes, at) => {
        await this.#operation(path, () => put(node, bytes.subarray(0, bytes.length >> 1), at));
        put(node, bytes, at);
      },
      truncate: async (length) => {
        await this.#operation(path);
        node.content = node.content.slice(0, length);
      },
      sync: async () => {
        await this.#operation(path);
        node.permanent = node.content.slice();
      },
      close: async () => {},
    };
  }

  /** @param half what is done of it before it fails */
  async #operation(path: string, half: () => void = () => {}): Promise<void> {
    if (this.stoppedAt !== null) await never;
    const at = this.count;
    this.count += 1;
    if (this.fault?.at !== at) return;
    half();
    if (this.fault.kind === 'fail') throw error(this.fault.code ?? 'EIO', path);
    this.stoppedAt = path;
    await never;
  }

  #file(path: string): FileNode {
    const node = this.#nodes.get(path);
    if (node === undefined || node === 'directory') throw error('ENOENT', path);
    return node;
  }

  #copy(contentOf: (node: FileNode) => Uint8Array): FakeFiles {
    const copy = new FakeFiles();
    for (const [path, node] of this.#nodes) {
      if (node === 'directory') copy.#nodes.set(path, node);
      else copy.put(path, contentOf(node).slice());
    }
    return copy;
  }
}

const never = new Promise<never>(() => {});

function put(node: FileNode, bytes: Uint8Array, at: number): void {
  const content = new Uint8Array(Math.max(node.content.length, at + bytes.length));
  content.set(node.content);
  content.set(bytes, at);
  node.content = content;
}
