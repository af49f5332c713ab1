import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { asVtrError, type KeyPress, type Sender } from '#model';
import { terminalOf } from '../../format/foreground.ts';
import { codedCharacter, hexByte, keyOf } from '../../keys/bound-key.ts';
import type { TmuxServer } from '../../state/tmux-server.ts';
import type { TmuxPane } from '../../state/tmux-window.ts';
import { TmuxError } from '../../tmux-error.ts';
import type { Arguments } from '../../words/arguments.ts';
import { type Call, type Commands, many } from '../call.ts';
import { copyCommand, type Part, typeInModes } from './modes.ts';

/** CAN ends an unfinished sequence; this one is the mark of the end, too. */
const end = '\x1b[2J\x1b[H\x18';

/** What `send-keys -R` sets back, in the order of the list: modes, keys, mouse, style, tabs, colours. */
const initialState = [
  '\x18\x1b[!p\x1b[4;20l\x1b[?1;5;6;69;1000;1002;1003;1004;1005;1006;2004l\x1b[?7;25h',
  '\x1b>\x1b[=0u\x1b[>4m\x1b[0m\x1b(B\x0f\x1b[?5W\x1b]104\x1b\\\x1b[r',
].join('');

/** How long a terminal may take no output, in ms: somebody has stopped it with ctrl+s. */
const maxStoppedMs = 5_000;

export const inputCommands = {
  'send-keys': {
    usage: '[-FHlMRX] [-N repeat-count] [-t target-pane] key ...',
    words: [0, many],
    waits: true,
    run: sendKeys,
  },
  'send-prefix': {
    usage: '[-2] [-t target-pane]',
    run: async (call, args) => {
      const { session, pane } = call.target(args, 'pane');
      const key = keyOf(session.options.text(args.has('2') ? 'prefix2' : 'prefix'));
      if (key !== null) await send(call, pane, [key]);
    },
  },
  'paste-buffer': {
    usage: '[-dpr] [-s separator] [-b buffer-name] [-t target-pane]',
    waits: true,
    run: pasteBuffer,
  },
} satisfies Commands;

/** A pane whose program does not read keeps its caller waiting, and nobody else. */
async function sendKeys(call: Call, args: Arguments): Promise<void> {
  if (args.has('X')) {
    const times = args.number('N', 1, 2_147_483_647);
    return call.server.inTurn(() => {
      const target = call.target(args, 'pane');
      const how = { times: times ?? target.pane.modes.times, isFormat: args.has('F') };
      target.pane.modes.times = 1;
      return copyCommand(call, target, args.words, how);
    });
  }
  if (args.words.length === 0 && args.has('N')) {
    const { modes } = call.target(args, 'pane').pane;
    if (modes.current?.copy) modes.times = args.number('N', 1, 2_147_483_647) ?? 1;
  }
  if (args.has('M')) return sendMouse(call);
  const { pane: target, panes, parts } = await call.server.inTurn(() => keysOf(call, args));
  if (args.has('R')) await resetTerminal(call.server, target);
  for (const pane of panes) await send(call, pane, parts);
}

/** Passes the event of the mouse on that runs a key's command. @throws TmuxError */
async function sendMouse({ server, caller }: Call): Promise<void> {
  const mouse = caller.client?.terminal?.mouse ?? null;
  if (mouse === null || mouse.pane === null) throw new TmuxError('no mouse target');
  const { pane, paneRow: row, paneCol: col, event } = mouse;
  if (pane.modes.current !== null || pane.dead !== null || pane.inputOff) return;
  const { coordinator } = server.programs;
  await typed(pane, (sender) =>
    coordinator.sendMouse(pane.session, [{ ...event, row, col }], sender),
  );
}

interface Keys {
  readonly pane: TmuxPane;
  readonly panes: readonly TmuxPane[];
  readonly parts: readonly Part[];
}

/** @throws TmuxError */
async function keysOf(call: Call, args: Arguments): Promise<Keys> {
  const target = call.target(args, 'pane');
  const { pane } = target;
  const times = args.number('N', 1, 2_147_483_647) ?? 1;
  const words = args.has('F')
    ? await Promise.all(args.words.map((word) => call.expand(word, target)))
    : args.words;
  const parts = words.flatMap((word) => partsOf(word, args));
  const all = Array.from({ length: Math.min(times, 10_000) }, () => parts).flat();
  return { pane, panes: sameInput(pane), parts: all };
}

function partsOf(word: string, args: Arguments): Part[] {
  if (args.has('H')) {
    const byte = hexByte(word);
    return byte === null ? [] : [byte];
  }
  return [args.has('l') ? word : (codedCharacter(word) ?? keyOf(word) ?? word)];
}

/** The pane, or all panes of its window that get the same input. */
function sameInput(pane: TmuxPane): readonly TmuxPane[] {
  if (!pane.options.isOn('synchronize-panes')) return [pane];
  return pane.window.panes.filter((each) => each.options.isOn('synchronize-panes'));
}

/** Sends parts in their order: neighbouring ones of a kind together. */
async function send(call: Call, pane: TmuxPane, input: readonly Part[]): Promise<void> {
  const { server } = call;
  const parts =
    pane.modes.current === null
      ? input
      : await typeInModes(call, call.targets.find(`%${pane.id}`, 'pane'), input);
  if (pane.dead !== null || pane.inputOff) return;
  const { coordinator } = server.programs;
  const { session } = pane;
  for (let at = 0; at < parts.length; ) {
    const kind = typeof parts[at];
    let end = at;
    while (end < parts.length && typeof parts[end] === kind) end++;
    const run = parts.slice(at, end);
    at = end;
    await typed(pane, async (sender) => {
      if (kind === 'object') await coordinator.sendKeys(session, run as KeyPress[], sender);
      else if (kind === 'number') {
        await coordinator.sendBytes(session, Uint8Array.from(run as number[]), sender);
      } else {
        const text = run.join('');
        if (text !== '') await coordinator.sendText(session, text, sender);
      }
    });
  }
}

/**
 * Sends input of a command. It does not wait for a person who types at a client of this server: in tmux, bindings and
 * scripts type there, too. It is then that person's.
 */
async function typed(
  { typist }: TmuxPane,
  send: (sender: Sender) => Promise<unknown>,
): Promise<void> {
  try {
    await send({});
  } catch (error) {
    if (typist === null || asVtrError(error).code !== 'NOT_DRIVER') throw error;
    await send({ viewer: typist.id });
  }
}

async function pasteBuffer(call: Call, args: Arguments): Promise<void> {
  const { server } = call;
  const name = args.value('b');
  const { pane, buffer } = await server.inTurn(() => ({
    pane: call.target(args, 'pane').pane,
    buffer:
      name === undefined && server.buffers.all.length === 0 ? null : server.buffers.find(name),
  }));
  if (buffer === null) return;
  if (args.has('d')) server.buffers.remove(buffer.name);
  const separator = args.value('s') ?? (args.has('r') ? '\n' : '\r');
  const text = buffer.text.replaceAll('\n', () => separator);
  if (text !== '' && pane.dead === null && !pane.inputOff) {
    const paste = args.has('p') ? 'supported' : 'never';
    const { coordinator } = server.programs;
    await typed(pane, (sender) => coordinator.sendText(pane.session, text, { paste, ...sender }));
  }
}

/**
 * Resets the terminal of a pane, and scrolls its screen into the history, as tmux does. It is written to the
 * terminal as the program's own output would be, so that whoever follows the session sees the same. It is done when
 * it resolves.
 *
 * @throws TmuxError if nothing can be written there
 */
async function resetTerminal({ programs }: TmuxServer, pane: TmuxPane): Promise<void> {
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
