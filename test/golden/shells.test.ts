import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { ShellIntegration } from '#model';
import { Terminal } from '#vt';
import { TerminalReader } from '../../src/session/terminal-reader.ts';
import { fakeSession } from '../support/session/fake-session.ts';

// The output of bash 5.2, zsh 5.9 and fish 3.6 with the integrations of kitty and ghostty, with one of
// three lines, and with none, for this input: `echo hi`, `false`, a loop of two lines,
// `sleep 5` and ctrl+c, a word and ctrl+c, Enter, `(exit 7)` (not in fish), `clear`.

/** The line, its exit code and its output. */
type Row = readonly [string | null, number | null, string];

interface Recorded {
  readonly integration: ShellIntegration;
  readonly rows: readonly Row[];
  /** The end of the last prompt, or its start if the end is not marked; null without marks. */
  readonly promptCol: number | null;
}

const loop = 'for i in 1 2; do';
const outputs = ['hi', '', '1\n2', '^C'];

/** @param codes of all commands; lines if they are reported */
function rows(codes: readonly number[], lines: readonly string[] = []): Row[] {
  return codes.map((code, index) => [lines[index] ?? null, code, outputs[index] ?? '']);
}

const bashLines = ['echo hi', 'false', `${loop} echo $i; done`, 'sleep 5', '(exit 7)', 'clear'];
const zshLines = bashLines.with(2, `${loop}\necho $i; done`);
const fishLines = ['echo hi', 'false', 'for i in 1 2\necho $i; end', 'sleep 5', 'clear'];
const codes = [0, 1, 0, 130, 7, 0];
const none = { integration: 'none', rows: [], promptCol: null } as const;
const self = { integration: 'self' } as const;

const recordings: Readonly<Record<string, Recorded>> = {
  'bash-plain': none,
  'bash-minimal': { ...self, rows: rows(codes), promptCol: 5 },
  // It always reports 0.
  'bash-ghostty': { ...self, rows: rows([0, 0, 0, 0, 0, 0]), promptCol: 5 },
  'bash-kitty': { ...self, rows: rows(codes, bashLines), promptCol: 0 },
  'zsh-plain': none,
  'zsh-ghostty': { ...self, rows: rows(codes), promptCol: 5 },
  'zsh-kitty': { ...self, rows: rows(codes, zshLines), promptCol: 0 },
  'fish-plain': none,
  'fish-ghostty': { ...self, rows: rows([0, 1, 0, 130, 0]), promptCol: 0 },
  'fish-kitty': { ...self, rows: rows([0, 1, 0, 130, 0], fishLines), promptCol: 0 },
};

function replay(name: string, chunkBytes: number) {
  const terminal = new Terminal({ size: { cols: 80, rows: 24 } });
  const { session, pty } = fakeSession({}, terminal);
  const rows: Row[] = [];
  session.view.onEvent((event) => {
    if (event.type !== 'mark' || event.mark !== 'commandEnd') return;
    const command = session.view.commands.unverified?.endedAfter(event.position.offset);
    if (command?.to == null) return;
    // Before the screen is cleared.
    const output =
      new TerminalReader(terminal).textBetween(command.from, command.to)?.trimEnd() ?? '';
    rows.push([command.line, command.exitCode, output]);
  });
  const bytes = readFileSync(new URL(`shells/${name}.bin`, import.meta.url));
  for (let at = 0; at < bytes.length; at += chunkBytes) {
    pty.output(new Uint8Array(bytes.subarray(at, at + chunkBytes)));
  }
  const { integration, unverified } = session.view.commands;
  const { prompt = null, running = null } = unverified ?? {};
  return { rows, running, integration, promptCol: prompt?.col ?? null };
}

describe.each(Object.entries(recordings))('%s', (name, expected) => {
  it.each([1, 7, 64])('has its commands in chunks of %i bytes', (chunkBytes) => {
    expect(replay(name, chunkBytes)).toEqual({ ...expected, running: null });
  });
});
