import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import type { CommandReport } from '#model';

/** The part of the file of a conversation that is read, its end, in bytes. */
const readBytes = 256 * 1024;

/**
 * Returns how the last commands of a conversation of Codex ended. Its hooks get the output of a command alone; the
 * status is in the file of the conversation, shortly after the hook that follows the command.
 *
 * @param file as the hook was told, not checked
 * @param most how many are returned at most, the newest
 * @throws an error of node:fs
 */
export async function codexStatuses(file: string, most: number): Promise<CommandReport[]> {
  if (!isAbsolute(file) || !file.endsWith('.jsonl')) return [];
  // Not a pipe that somebody has put there.
  const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) return [];
    const from = Math.max(0, stats.size - readBytes);
    const { buffer, bytesRead } = await handle.read({
      buffer: Buffer.alloc(stats.size - from),
      position: from,
    });
    return statusesIn(buffer.toString('utf8', 0, bytesRead)).slice(-most);
  } finally {
    await handle.close();
  }
}

/** Returns what lines of such a file tell, as Codex 0.171 writes them: a call, and its output with a head. */
export function statusesIn(lines: string): CommandReport[] {
  const lineOfCall = new Map<unknown, string>();
  const all: CommandReport[] = [];
  for (const text of lines.split('\n')) {
    if (!text.includes('"function_call')) continue;
    const { type, call_id: call, arguments: args, output } = payloadOf(text);
    if (type === 'function_call' && typeof args === 'string') {
      const { cmd } = read(args);
      if (typeof cmd === 'string') lineOfCall.set(call, cmd);
    }
    const line = lineOfCall.get(call);
    if (type !== 'function_call_output' || line === undefined) continue;
    if (typeof call !== 'string' || typeof output !== 'string') continue;
    const [head = ''] = output.split(/^Output:$/m);
    const [, code] = /^Process exited with code (-?\d+)$/m.exec(head) ?? [];
    if (code !== undefined) all.push({ line, call, ...endWith(Number(code)) });
  }
  return all;
}

const endWith = (code: number): Pick<CommandReport, 'outcome' | 'exitCode'> => ({
  outcome: code === 0 ? 'succeeded' : 'failed',
  ...(code >= 0 && code <= 255 && { exitCode: code }),
});

type Fields = Readonly<Record<string, unknown>>;

function payloadOf(text: string): Fields {
  const { payload } = read(text);
  return typeof payload === 'object' && payload !== null ? (payload as Fields) : {};
}

/** The first line that was read may be cut. */
function read(text: string): Fields {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Fields) : {};
  } catch {
    return {};
  }
}
