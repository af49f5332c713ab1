import { describe, expect, it } from 'vitest';
import type { Size } from '#model';
import { Terminal } from '#vt';
import { verify } from '#vt/checks';
import { caseNames, readBytes, readCase } from '../../scripts/golden/case-files.mjs';
import { viewOf } from '../../scripts/golden/view.mjs';
import { chunkings } from '../support/vt/chunkings.ts';
import { expectSameTerminal } from '../support/vt/same-terminal.ts';

const names = caseNames();

const fresh = (size: Size, firstLine = 0) => new Terminal({ size, firstLine });

it('there are recordings of real programs', () => {
  expect(names.length).toBeGreaterThanOrEqual(15);
});

describe.each(names)('%s', (name) => {
  const { size, checkpoints, about } = readCase(name);
  const bytes = readBytes(name);

  it('has checkpoints, up to the last byte', () => {
    expect(about).not.toBe('');
    expect(checkpoints.at(-1)?.offset).toBe(bytes.length);
  });

  it.each(Object.entries(chunkings))('shows the recorded screens, fed %s', (_how, cut) => {
    const terminal = fresh(size);
    let from = 0;
    for (const { offset, after, ...view } of checkpoints) {
      for (const chunk of cut(bytes.subarray(from, offset))) terminal.feed(chunk);
      from = offset;
      expect({ after, ...viewOf(terminal) }).toEqual({ after, ...view });
    }
    expect(verify(terminal)).toEqual([]);
  });

  it('[law 1] is rebuilt by its dump at every checkpoint', () => {
    const terminal = fresh(size);
    let from = 0;
    for (const { offset } of checkpoints) {
      terminal.feed(bytes.subarray(from, offset));
      from = offset;
      const { dump, firstLine } = terminal.snapshot();
      const copy = fresh(size, firstLine);
      copy.feed(dump);
      expectSameTerminal(copy, terminal);
    }
  });
});
