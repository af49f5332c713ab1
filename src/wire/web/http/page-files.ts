import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname, join } from 'node:path';
import { defined } from '#base';

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.webmanifest': 'application/manifest+json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.txt': 'text/plain; charset=utf-8',
};

/** Compressed forms next to a file, the smallest first. */
const encodings = [
  { name: 'br', suffix: '.br' },
  { name: 'gzip', suffix: '.gz' },
] as const;

interface Compressed {
  readonly name: (typeof encodings)[number]['name'];
  readonly bytes: Buffer;
}

interface PageFile {
  readonly bytes: Buffer;
  /** The smallest first. */
  readonly compressed: readonly Compressed[];
  readonly type: string;
  /** Whether its name changes with its content. */
  readonly isImmutable: boolean;
}

/**
 * The files of the page, half a megabyte. They are read once: another version of vtr may be installed in
 * their place while this one runs, and no request can name another file.
 */
export class PageFiles {
  /** The scripts that the page contains, as a content security policy allows them. */
  readonly inlineScripts: readonly string[];
  readonly #files: ReadonlyMap<string, PageFile>;

  private constructor(files: ReadonlyMap<string, PageFile>) {
    this.#files = files;
    const html = String(files.get('/')?.bytes ?? '');
    this.inlineScripts = [...html.matchAll(/<script>(.*?)<\/script>/gs)].map(
      ([, text = '']) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`,
    );
  }

  /** @param directory with `index.html`, `assets/` and others; may be missing */
  static async read(directory: string): Promise<PageFiles> {
    const names = await readdir(directory, { recursive: true }).catch(() => []);
    const files = new Map<string, PageFile>();
    for (const name of names) {
      const type = types[extname(name)];
      const bytes = type === undefined ? null : await bytesOf(join(directory, name));
      if (type === undefined || bytes === null) continue;
      const isImmutable = name.startsWith('assets/');
      const compressed = await compressedForms(join(directory, name));
      files.set(name === 'index.html' ? '/' : `/${name}`, { bytes, compressed, type, isImmutable });
    }
    return new PageFiles(files);
  }

  has(path: string): boolean {
    return this.#files.has(path);
  }

  /** Sends a file, compressed if there is a compressed form that the client takes. */
  send(path: string, request: IncomingMessage, response: ServerResponse): void {
    const file = this.#files.get(path);
    if (file === undefined) return;
    const accepted = String(request.headers['accept-encoding'] ?? '');
    const form = file.compressed.find(({ name }) => isAccepted(name, accepted));
    const { bytes } = form ?? file;
    response.writeHead(200, {
      'Content-Type': file.type,
      'Content-Length': bytes.length,
      'Cache-Control': file.isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache',
      Vary: 'Accept-Encoding',
      ...defined({ 'Content-Encoding': form?.name }),
    });
    // To HEAD, no bytes are sent.
    response.end(bytes);
  }
}

/** Returns null for a directory, and for what has gone. */
const bytesOf = (path: string): Promise<Buffer | null> => readFile(path).catch(() => null);

async function compressedForms(path: string): Promise<readonly Compressed[]> {
  const forms: Compressed[] = [];
  for (const { name, suffix } of encodings) {
    const bytes = await bytesOf(path + suffix);
    if (bytes !== null) forms.push({ name, bytes });
  }
  return forms;
}

const isAccepted = (name: string, accepted: string): boolean =>
  new RegExp(`(^|[,\\s])${name}([,;\\s]|$)`).test(accepted);
