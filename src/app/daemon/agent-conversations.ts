import { open, readdir, realpath, stat } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { isConversationId } from '#agents';
import { globPattern, isGlob } from '#base';
import type { UserEnvironment } from '#config';
import type { ConversationSearch } from '#coordinator';
import { pathOf } from './agent-kinds.ts';

/** What of a file is read, in bytes: agents write their directory near its beginning. */
const headBytes = 64 * 1024;
/**
 * An agent may write to a conversation after vtr has last saved its session, which is the end of a session whose host
 * was lost. In ms.
 */
const laterMs = 60_000;

/**
 * Finds the conversations of a directory in the files of an agent. Those that went on later are not among them.
 *
 * @returns their ids; null if the agent has no files that vtr knows
 */
export async function findConversations(
  user: UserEnvironment,
  { kind, directory, fromMs, toMs }: ConversationSearch,
): Promise<readonly string[] | null> {
  const pattern = kind.resume?.files;
  if (pattern === undefined) return null;
  const real = await realpath(directory).catch(() => directory);
  const inDirectory = pattern.includes('{dir}');
  const glob = pattern.replace('{dir}', real.replace(/[^A-Za-z0-9]/gu, '-'));
  const ids: string[] = [];
  for (const file of await matching(pathOf(kind, glob, user))) {
    const changedMs = await stat(file).then(
      ({ mtimeMs }) => mtimeMs,
      () => Number.NaN,
    );
    if (!(changedMs >= fromMs && changedMs <= toMs + laterMs)) continue;
    const directories = await directoriesIn(file);
    const isOther = directories.length === 0 ? !inDirectory : !directories.includes(real);
    const id = conversationOf(file);
    if (!isOther && isConversationId(id)) ids.push(id);
  }
  return ids;
}

/** Returns the paths that match a glob, whose signs match within a name. */
async function matching(glob: string): Promise<readonly string[]> {
  let paths = ['/'];
  for (const part of glob.split('/').filter((name) => name !== '')) {
    const pattern = isGlob(part) ? globPattern(part) : null;
    const next = paths.map(async (path) => {
      if (pattern === null) return [join(path, part)];
      const names = await readdir(path).catch(() => []);
      return names.filter((name) => pattern.test(name)).map((name) => join(path, name));
    });
    paths = (await Promise.all(next)).flat();
  }
  return paths.sort();
}

/** The UUID at the end of a file's name; without one, the name. */
function conversationOf(file: string): string {
  const name = basename(file, extname(file));
  return /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/u.exec(name)?.[0] ?? name;
}

/** The directories that a file of JSON lines names as that of its agent. */
async function directoriesIn(file: string): Promise<readonly string[]> {
  const handle = await open(file).catch(() => null);
  if (handle === null) return [];
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(headBytes), 0, headBytes, 0);
    const text = buffer.toString('utf8', 0, bytesRead);
    return [...text.matchAll(/"cwd":("(?:[^"\\]|\\.)*")/gu)].map(([, json = '""']) =>
      String(JSON.parse(json)),
    );
  } catch {
    return [];
  } finally {
    await handle.close();
  }
}
