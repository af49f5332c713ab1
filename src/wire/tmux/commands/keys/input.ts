import type { KeyPress } from '#model';
import { codedCharacter, hexByte, keyOf } from '../../keys/key-names.ts';
import type { TmuxPane } from '../../state/tmux-window.ts';
import { TmuxError } from '../../tmux-error.ts';
import type { Arguments } from '../../words/arguments.ts';
import { type Call, type Commands, many } from '../call.ts';
import { resetTerminal } from '../people/reset-terminal.ts';
import { type Part, typeInModes } from './mode-keys.ts';
import { copyCommand } from './modes.ts';

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
    const times = args.number('N', 1, 2_147_483_647) ?? 1;
    return call.server.inTurn(() => {
      const how = { times, isFormat: args.has('F') };
      return copyCommand(call, call.target(args, 'pane'), args.words, how);
    });
  }
  const { pane: target, panes, parts } = await call.server.inTurn(() => keysOf(call, args));
  if (args.has('R')) await resetTerminal(call.server, target);
  for (const pane of panes) await send(call, pane, parts);
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
  if (args.has('M')) throw new TmuxError('no mouse target');
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
async function send(call: Call, pane: TmuxPane, given: readonly Part[]): Promise<void> {
  const { server } = call;
  const parts =
    pane.modes.current === null
      ? given
      : await typeInModes(call, call.targets.find(`%${pane.id}`, 'pane'), given);
  if (pane.dead !== null || pane.inputOff) return;
  const { coordinator } = server.programs;
  const { session } = pane;
  for (let at = 0; at < parts.length; ) {
    const kind = typeof parts[at];
    let end = at;
    while (end < parts.length && typeof parts[end] === kind) end++;
    const run = parts.slice(at, end);
    at = end;
    if (kind === 'object') await coordinator.sendKeys(session, run as KeyPress[]);
    else if (kind === 'number') {
      await coordinator.sendBytes(session, Uint8Array.from(run as number[]));
    } else {
      const text = run.join('');
      if (text !== '') await coordinator.sendText(session, text);
    }
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
    await server.programs.coordinator.sendText(pane.session, text, { paste });
  }
}
