import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { terminalOf } from '../../format/foreground.ts';
import type { TmuxServer } from '../../state/tmux-server.ts';
import type { TmuxPane } from '../../state/tmux-window.ts';
import { TmuxError } from '../../tmux-error.ts';

/** CAN ends an unfinished sequence; this one is the mark of the end, too. */
const end = '\x1b[2J\x1b[H\x18';

/** What `send-keys -R` sets back, in the order of the list: modes, keys, mouse, style, tabs, colours. */
const initialState = [
  '\x18\x1b[!p\x1b[4;20l\x1b[?1;5;6;69;1000;1002;1003;1004;1005;1006;2004l\x1b[?7;25h',
  '\x1b>\x1b[=0u\x1b[>4m\x1b[0m\x1b(B\x0f\x1b[?5W\x1b]104\x1b\\\x1b[r',
].join('');

/** How long a terminal may take no output, in ms: somebody has stopped it with ctrl+s. */
const maxStoppedMs = 5_000;

/**
 * Resets the terminal of a pane, and scrolls its screen into the history, as tmux does. It is written to the
 * terminal as the program's own output would be, so that whoever follows the session sees the same. It is done when
 * it resolves.
 *
 * @throws TmuxError if nothing can be written there
 */
export async function resetTerminal({ programs }: TmuxServer, pane: TmuxPane): Promise<void> {
  const { coordinator } = programs;
  const { session } = pane;
  const path = pane.dead === null ? terminalOf(pane) : '';
  if (path === '') throw new TmuxError('vtr cannot reset this pane: its terminal is not known');
  const { text, alternate, size } = await coordinator.screen(session);
  const used = alternate ? 0 : text.findLastIndex((row) => row !== '') + 1;
  const since = await coordinator.mark(session);
  const events = await coordinator.subscribe(session, { since, scrollbackLines: 0 });
  const late = new AbortController();
  const timer = delay(maxStoppedMs, undefined, { ref: false, signal: late.signal }).then(
    () => events.dispose(),
    () => {},
  );
  try {
    await write(path, `${initialState}\x1b[${size.rows};1H${'\n'.repeat(used)}${end}`);
    let latest = '';
    for await (const event of events) {
      if (event.type !== 'output') continue;
      latest = (latest + Buffer.from(event.bytes).toString('latin1')).slice(-65_536);
      if (latest.includes(end)) return;
    }
    throw new TmuxError('vtr could not reset this pane: its terminal takes no output');
  } finally {
    late.abort();
    events.dispose();
    await timer;
  }
}

/** Writes to a terminal, and does not wait longer than {@link maxStoppedMs}. @throws TmuxError */
async function write(path: string, text: string): Promise<void> {
  let file: FileHandle | null = null;
  try {
    const { O_WRONLY, O_NOCTTY, O_NONBLOCK } = constants;
    file = await open(path, O_WRONLY | O_NOCTTY | O_NONBLOCK);
    const bytes = Buffer.from(text);
    for (let [at, waitedMs] = [0, 0]; at < bytes.length; ) {
      try {
        at += (await file.write(bytes, at)).bytesWritten;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EAGAIN' || waitedMs >= maxStoppedMs)
          throw error;
        waitedMs += 20;
        await delay(20);
      }
    }
  } catch (error) {
    throw new TmuxError(`vtr could not reset this pane: ${path}: ${(error as Error).message}`);
  } finally {
    await file?.close();
  }
}
