import { StringDecoder } from 'node:string_decoder';
import unicode11 from '@xterm/addon-unicode11';
import headless from '@xterm/headless';
import type { Size } from '#model';
import { type Engine, scrollbackLines } from './engine.ts';

/** Bypasses xterm's write queue, which waits for timers: parses before it returns. */
interface SynchronousCore {
  writeSync(output: string | Uint8Array): void;
}

/** @xterm/headless with the same work: same scrollback, widths of Unicode 11, no logging. */
export function createXterm({ cols, rows }: Size): headless.Terminal {
  const terminal = new headless.Terminal({
    cols,
    rows,
    scrollback: scrollbackLines,
    allowProposedApi: true,
    logLevel: 'off',
  });
  terminal.loadAddon(new unicode11.Unicode11Addon());
  terminal.unicode.activeVersion = '11';
  return terminal;
}

const coreOf = (terminal: headless.Terminal): SynchronousCore =>
  (terminal as unknown as { _core: SynchronousCore })._core;

/** Reads bytes, which it decodes itself. */
export function xtermOfBytes(terminal: headless.Terminal): Engine {
  const core = coreOf(terminal);
  return { feed: (chunk) => core.writeSync(chunk) };
}

/** Reads strings from one decoder, so that no character is split. */
export function xtermOfStrings(terminal: headless.Terminal): Engine {
  const core = coreOf(terminal);
  const decoder = new StringDecoder('utf8');
  return { feed: (chunk) => core.writeSync(decoder.write(chunk as Buffer)) };
}
