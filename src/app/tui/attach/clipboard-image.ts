import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type Coordinator, VtrError } from '#model';
import type { Done, Scene } from './scene.ts';

/** The largest image that is copied, in bytes. */
const maxImageBytes = 8 * 1024 * 1024;
/** A program that reads the clipboard may wait for the one that has its content: for this time, in ms. */
const readMs = 5_000;
/** Bytes that one call sends. */
const partBytes = 256 * 1024;
/** How long a part, and the file, may take, in ms. */
const partMs = 60_000;

/** Programs that print the image of the clipboard, and the condition under which each does. */
const readers: readonly {
  readonly words: readonly [string, ...string[]];
  readonly works: (env: NodeJS.ProcessEnv) => boolean;
}[] = [
  {
    words: ['wl-paste', '--no-newline', '--type', 'image/png'],
    works: ({ WAYLAND_DISPLAY }) => Boolean(WAYLAND_DISPLAY),
  },
  {
    words: ['xclip', '-selection', 'clipboard', '-target', 'image/png', '-out'],
    works: ({ DISPLAY }) => Boolean(DISPLAY),
  },
  { words: ['pngpaste', '-'], works: () => process.platform === 'darwin' },
];

const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');

/** Returns the image of this machine's clipboard, as PNG. @throws VtrError INVALID_ARGUMENT */
export async function clipboardImage(env: NodeJS.ProcessEnv): Promise<Uint8Array> {
  const refused = (message: string) => new VtrError('INVALID_ARGUMENT', message);
  const usable = readers.filter(({ works }) => works(env));
  let isThere = false;
  for (const { words } of usable) {
    const [program, ...args] = words;
    const options = { encoding: 'buffer', maxBuffer: maxImageBytes, timeout: readMs, env } as const;
    try {
      const { stdout } = await promisify(execFile)(program, args, options);
      isThere = true;
      if (stdout.subarray(0, signature.length).equals(signature)) return stdout;
    } catch (error) {
      const { code } = error as { readonly code?: unknown };
      if (code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') {
        throw refused(`the image has more than ${maxImageBytes / 1024 / 1024} MiB`);
      }
      isThere ||= code !== 'ENOENT';
    }
  }
  if (isThere) throw refused('the clipboard has no image');
  throw refused(
    'images of the clipboard cannot be read here: that needs wl-paste, xclip or pngpaste on the machine of your terminal',
  );
}

/** Writes its input to a file that only its owner can read, and prints the path. */
const writer = [
  'umask 077',
  'stty raw -echo || exit',
  `dir=$(mktemp -d "\${TMPDIR:-/tmp}/vtr-image-XXXXXX") || exit`,
  `printf 'ready\\r\\n'`,
  'head -c "$1" > "$dir/image.png" || exit',
  `printf 'at %s\\r\\n' "$dir/image.png"`,
  'read -r _',
].join('\n');

/**
 * Writes an image to a file of mode 0600 on the machine of a coordinator, in a directory of its own. A session that
 * ends with it writes the file: whoever may make sessions there may write it.
 *
 * @returns the path
 * @throws VtrError
 */
export async function keepImage(coordinator: Coordinator, image: Uint8Array): Promise<string> {
  const { name, id } = await coordinator.spawn({
    program: 'sh',
    args: ['-c', writer, 'sh', String(image.length)],
    environment: 'minimal',
    // A path is one row.
    size: { cols: 1000, rows: 24 },
    persist: false,
    record: false,
  });
  const session = { name, id };
  try {
    const all = { since: 'start', timeoutMs: partMs };
    const ready = await coordinator.wait(session, { ...all, match: ['^ready'] });
    if (ready.outcome !== 'matched') throw notWritten();
    for (let from = 0; from < image.length; from += partBytes) {
      const part = image.subarray(from, from + partBytes);
      await coordinator.sendBytes(session, part, { timeoutMs: partMs });
    }
    const { match } = await coordinator.wait(session, { ...all, match: ['^at (/.*\\.png)$'] });
    const path = match?.groups[0];
    if (path == null) throw notWritten();
    return path;
  } finally {
    await coordinator.remove(session, { force: true });
  }
}

const notWritten = (): VtrError =>
  new VtrError('IO_ERROR', 'the image could not be written on the machine of the session');

/** Makes a file of the image in the clipboard, on the machine of the session, and types its path. @throws VtrError */
export async function pasteImage({ coordinator, session, viewing }: Scene): Promise<Done> {
  const image = await clipboardImage(process.env);
  const path = await keepImage(coordinator, image);
  const options = viewing === null ? {} : { viewer: viewing.id };
  await coordinator.sendText(session, path, { ...options, paste: 'supported' });
  return { said: `the image is ${path}` };
}
