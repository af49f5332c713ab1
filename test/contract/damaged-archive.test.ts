import { describe, expect, it } from 'vitest';
import { encodeUtf8 } from '#base';
import type { CommandRecord } from '#model';
import { Terminal } from '#vt';
import { onDroppedLines } from '#vt/saving';
import { commandOutput } from '#watch';
import { ArchivedTerminal } from '../../src/session/archive/archived-terminal.ts';
import { TerminalLines, TerminalReader } from '../../src/session/terminal-reader.ts';
import { MemoryArchive } from '../support/session/memory-archive.ts';

describe('lines of an archive that is damaged', () => {
  const size = { cols: 40, rows: 5 };
  const limits = { maxLines: 50, maxBytes: Number.POSITIVE_INFINITY };

  /** A session of 6,000 numbered lines; the block of line 1,000 cannot be read. */
  function damaged() {
    const terminal = new Terminal({ size, scrollback: limits });
    const archive = new MemoryArchive();
    onDroppedLines(
      terminal,
      (lines, textBytes) => archive.add(lines, textBytes),
      () => archive.erase(),
    );
    for (let line = 0; line < 6_000; line++) terminal.feed(encodeUtf8(`${line}\r\n`));
    const { from, to } = archive.read(1_000) ?? { from: 0, to: 0 };
    const read = archive.read.bind(archive);
    archive.read = (line) => (line >= from && line < to ? null : read(line));
    const all = new TerminalLines(new ArchivedTerminal(terminal, archive));
    return { terminal, all, from, to };
  }

  it('are lost to a read of lines', () => {
    const { terminal, all, from, to } = damaged();
    const { lines, dropped } = new TerminalReader(terminal, () => all.terminal).lines({ from: 0 });
    expect(to - from).toBeGreaterThan(10);
    expect([dropped, lines.length + dropped]).toEqual([to - from, all.terminal.endLine]);
  });

  it('are empty lines of the output of a command, which are counted', () => {
    const { all, from, to } = damaged();
    const part = { lines: all, from: 0, to: 5_000, fromCol: 0, toCol: Number.POSITIVE_INFINITY };
    const outputs = {
      lines: () => ({
        parts: [{ ...part, shift: () => 0 }],
        lostLines: 0,
        cleared: false,
        openEnd: false,
      }),
      bytes: () => ({ bytes: new Uint8Array(), offset: 0, lostBytes: 0 }),
    };
    const command = {} as CommandRecord;
    const printed: string[] = [];
    let unreadable = 0;
    // As vtr output reads it: in pages.
    for (let isWhole = false; !isWhole; ) {
      const page = { keep: 'head', maxLines: 100, skipLines: printed.length } as const;
      const { text, gap } = commandOutput({ outputs }, command, page);
      isWhole = text.omitted === null;
      printed.push(...(isWhole ? text.tail : text.head).split('\n'));
      unreadable += gap.unreadable ?? 0;
    }
    const isLost = (line: number) => line >= from && line < to;
    expect(printed).toEqual(
      Array.from({ length: 5_000 }, (_, line) => (isLost(line) ? '' : `${line}`)),
    );
    expect(unreadable).toBe(to - from);
  });
});
