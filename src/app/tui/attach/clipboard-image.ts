import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import {
  type Coordinator,
  filePartMs,
  KeptFile,
  maxFileBytes,
  VtrError,
  type WriterCalls,
} from '#model';
import type { Done, Scene } from './scene.ts';

/** A program that reads the clipboard may wait for the one that has its content: for this time, in ms. */
const readMs = 5_000;
/** Bytes that one call sends. */
const partBytes = 256 * 1024;

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
    const options = { encoding: 'buffer', maxBuffer: maxFileBytes, timeout: readMs, env } as const;
    try {
      const { stdout } = await promisify(execFile)(program, args, options);
      isThere = true;
      if (stdout.subarray(0, signature.length).equals(signature)) return stdout;
    } catch (error) {
      const { code } = error as { readonly code?: unknown };
      if (code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') {
        throw refused(`the image has more than ${maxFileBytes / 1024 / 1024} MiB`);
      }
      isThere ||= code !== 'ENOENT';
    }
  }
  if (isThere) throw refused('the clipboard has no image');
  throw refused(
    'images of the clipboard cannot be read here: that needs wl-paste, xclip or pngpaste on the machine of your terminal',
  );
}

/**
 * Writes an image to a file on the machine of a coordinator.
 *
 * @param sessionId with that session, the file is removed
 * @returns the path
 * @throws VtrError
 */
export async function keepImage(
  coordinator: Coordinator,
  image: Uint8Array,
  sessionId: string,
): Promise<string> {
  const file = { name: 'image.png', bytes: image.length, sessionId };
  const writing = await KeptFile.begin(writerCalls(coordinator), file);
  try {
    for (let from = 0; from < image.length; from += partBytes) {
      await writing.write(image.subarray(from, from + partBytes));
    }
    return await writing.end();
  } catch (error) {
    await writing.cancel();
    throw error;
  }
}

function writerCalls(coordinator: Coordinator): WriterCalls<Uint8Array> {
  let session = { name: '', id: '' };
  const timeoutMs = filePartMs;
  return {
    spawn: async (request) => {
      const { name, id } = await coordinator.spawn(request);
      session = { name, id };
    },
    find: async (pattern) => {
      const request = { since: 'start', timeoutMs, match: [pattern] };
      const { outcome, match } = await coordinator.wait(session, request);
      return (outcome === 'matched' ? match?.groups[0] : null) ?? null;
    },
    send: async (part) => void (await coordinator.sendBytes(session, part, { timeoutMs })),
    remove: async (force) => void (await coordinator.remove(session, { force })),
  };
}

/** Makes a file of the image in the clipboard, on the machine of the session, and types its path. @throws VtrError */
export async function pasteImage({ coordinator, session, viewing }: Scene): Promise<Done> {
  const image = await clipboardImage(process.env);
  const path = await keepImage(coordinator, image, session.id);
  const options = viewing === null ? {} : { viewer: viewing.id };
  await coordinator.sendText(session, path, { ...options, paste: 'supported' });
  return { said: `the image is ${path}` };
}
