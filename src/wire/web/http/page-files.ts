import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';

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

interface PageFile {
  readonly path: string;
  readonly type: string;
  /** Whether its name changes with its content. */
  readonly isImmutable: boolean;
}

/** The files of the page. Their names are read once, so that no request can name another file. */
export class PageFiles {
  readonly #files: ReadonlyMap<string, PageFile>;

  private constructor(files: ReadonlyMap<string, PageFile>) {
    this.#files = files;
  }

  /** @param directory with `index.html`, `assets/` and others; may be missing */
  static async read(directory: string): Promise<PageFiles> {
    const names = await readdir(directory, { recursive: true }).catch(() => []);
    const files = new Map<string, PageFile>();
    for (const name of names) {
      const type = types[extname(name)];
      if (type === undefined) continue;
      const isImmutable = name.startsWith('assets/');
      const path = name === 'index.html' ? '/' : `/${name}`;
      files.set(path, { path: join(directory, name), type, isImmutable });
    }
    return new PageFiles(files);
  }

  has(path: string): boolean {
    return this.#files.has(path);
  }

  /** Sends a file, compressed if there is a compressed form that the client takes. */
  async send(path: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const file = this.#files.get(path);
    if (file === undefined) return;
    const accepted = String(request.headers['accept-encoding'] ?? '');
    const form = await compressedForm(file.path, accepted);
    const { size } = form ?? (await stat(file.path));
    response.writeHead(200, {
      'Content-Type': file.type,
      'Content-Length': size,
      'Cache-Control': file.isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache',
      Vary: 'Accept-Encoding',
      ...(form === null ? {} : { 'Content-Encoding': form.name }),
    });
    if (request.method === 'HEAD') response.end();
    else await pipeline(createReadStream(form?.path ?? file.path), response);
  }
}

async function compressedForm(path: string, accepted: string) {
  for (const { name, suffix } of encodings) {
    if (!new RegExp(`(^|[,\\s])${name}([,;\\s]|$)`).test(accepted)) continue;
    const found = await stat(path + suffix).catch(() => null);
    if (found !== null) return { name, path: path + suffix, size: found.size };
  }
  return null;
}
