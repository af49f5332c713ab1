import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ViewModes } from '#model';
import {
  type Capabilities,
  enterMore,
  enterRawTty,
  enterTty,
  initialTtyModes,
  leaveRawTty,
  leaveTty,
  paint,
  requestModes,
  type TtyModes,
  ttyModesFor,
} from '#tty';
import { Terminal } from '#vt';
import { inspect } from '#vt/checks';
import { runs } from '../../../test/support/run/runs.ts';
import { pictureOf, terminals } from '../../../test/support/tty/painted.ts';
import { output } from '../../../test/support/vt/terminal-output.ts';

const size = { cols: 12, rows: 4 };
const encoder = new TextEncoder();

/** vtr's own terminal knows all that is asked of a terminal, except 2031 and 2048. */
const richest = { ...terminals['vtr'], colorScheme: true, sizeReports: true } as Capabilities;
const anyTerminal = fc.constantFrom(
  richest,
  { ...richest, clustersOnRequest: true },
  ...Object.values(terminals),
);
const modes = fc.record({
  mouseTracking: fc.constantFrom('none', 'x10', 'normal', 'button', 'any'),
  kittyFlags: fc.nat({ max: 31 }),
});
const viewer = fc.constantFrom<TtyModes['mouse']>('none', 'normal', 'button');
const shells = fc.constantFrom(
  '$ ls\r\na  b\r\n$ vtr attach',
  'a\r\nb\r\nc\r\nd\r\ne',
  '',
  '\x1b[1mlong line of a shell',
);

/** All output of a viewer of programs with these modes and screens. */
function viewing(
  capabilities: Capabilities,
  programs: readonly (readonly [Partial<ViewModes>, TtyModes['mouse'], Uint8Array])[],
): string {
  const program = new Terminal({ size });
  let bytes = enterTty(capabilities);
  let before = initialTtyModes(capabilities);
  let painted = null;
  for (const [asks, mouse, chunk] of programs) {
    program.feed(chunk);
    const after = ttyModesFor({ ...program.viewModes, ...asks }, mouse, capabilities);
    bytes += requestModes(before, after);
    before = after;
    const painting = paint(painted, pictureOf(program), capabilities);
    painted = painting.painted;
    bytes += painting.bytes;
  }
  return bytes;
}

/** The state without the alternate screen and what is kept for it, which nobody sees. */
function visible(terminal: Terminal, withTitles = true): Record<string, unknown> {
  const {
    alternate: _,
    savedPrimary: __,
    savedAlternate: ___,
    lastPrinted: ____,
    ...rest
  } = inspect(terminal);
  return withTitles ? rest : { ...rest, titles: [] };
}

const programs = fc.array(fc.tuple(modes, viewer, output), { maxLength: 4 });

it('leaves a terminal as it was, whatever was shown and asked of it', () => {
  const property = fc.property(anyTerminal, shells, programs, (capabilities, text, list) => {
    // As the terminal is when 2027 is known, but reset.
    const graphemeClusters = !capabilities.clustersOnRequest;
    const terminal = new Terminal({ size, graphemeClusters });
    terminal.feed(encoder.encode(`\x1b]2;shell\x07${text}\x1b[m`));
    const before = visible(terminal);
    terminal.feed(encoder.encode(viewing(capabilities, list)));
    terminal.feed(encoder.encode(leaveTty(capabilities)));
    expect(visible(terminal)).toEqual(before);
    terminal.feed(encoder.encode(leaveTty(capabilities)));
    expect(visible(terminal)).toEqual(before);
  });
  fc.assert(property, runs(150));
});

it.each([
  ['text', ''],
  ['another title', '\x1b]2;other\x07'],
  ['a colour', '\x1b[1;31m'],
  ['line drawing', '\x1b(0\x1b)0\x0e'],
  ['keys and the mouse', '\x1b[>1u\x1b[>5u\x1b[?1003h\x1b[?1006h\x1b[?1h\x1b='],
  ['the alternate screen', '\x1b[>1u\x1b[?1049h\x1b[>5u\x1b[>1u\x1b[2J\x1b[3;3Hvim\x1b[2;3r'],
])('leaves the primary screen of a program that has set %s, and is below it', (_, program) => {
  const terminal = new Terminal({ size });
  terminal.feed(encoder.encode(`\x1b]2;shell\x07$ vtr attach --raw`));
  terminal.feed(encoder.encode(enterRawTty(richest)));
  terminal.feed(encoder.encode(`\x1b[H\x1b[2Jone\r\ntwo${program}`));
  terminal.feed(encoder.encode(leaveRawTty(richest)));
  const usual = new Terminal({ size });
  usual.feed(encoder.encode(`\x1b]2;shell\x07$ vtr attach --raw\x1b[H\x1b[2Jone\r\ntwo\r\n`));
  // The history of titles differs.
  expect(visible(terminal, false)).toEqual(visible(usual, false));
  expect(terminal.title).toBe('shell');
});

it('begins with the list that repairs what a killed viewer left, wherever its output ended', () => {
  const cut = fc.nat({ max: 3000 });
  const property = fc.property(
    anyTerminal,
    shells,
    programs,
    cut,
    (capabilities, text, list, at) => {
      const graphemeClusters = !capabilities.clustersOnRequest;
      const terminal = new Terminal({ size, graphemeClusters });
      terminal.feed(encoder.encode(text));
      terminal.feed(encoder.encode('\x1b[m'));
      const before = visible(terminal, false);
      const bytes = encoder.encode(viewing(capabilities, list));
      // The beginning is one short write.
      const begun = enterTty(capabilities).length;
      terminal.feed(bytes.subarray(0, begun + (at % (bytes.length + 1 - begun))));
      terminal.feed(encoder.encode(viewing(capabilities, []) + leaveTty(capabilities)));
      expect(visible(terminal, false)).toEqual(before);
    },
  );
  fc.assert(property, runs(100));
});

it('asks for what becomes known later as if it had been known', () => {
  const later = (before: Capabilities | undefined, after: Capabilities) => {
    const terminal = new Terminal({ size });
    if (before === undefined) terminal.feed(encoder.encode(enterTty(after)));
    else terminal.feed(encoder.encode(enterTty(before) + enterMore(before, after)));
    return inspect(terminal);
  };
  const conservative = terminals['xterm, unknown'] as Capabilities;
  for (const after of [richest, terminals['xterm'] as Capabilities, conservative]) {
    expect(later(conservative, after)).toEqual(later(undefined, after));
  }
});

it.each([
  ['none', 0, 'none', { mouse: 'none', kittyFlags: 5 }],
  ['x10', 0, 'none', { mouse: 'normal', kittyFlags: 5 }],
  ['normal', 0, 'button', { mouse: 'button', kittyFlags: 5 }],
  ['any', 3, 'button', { mouse: 'any', kittyFlags: 7 }],
  ['none', 8, 'normal', { mouse: 'normal', kittyFlags: 29 }],
] as const)(
  'asks for mouse %s and flags %i with a view that needs %s',
  (tracking, flags, view, asks) => {
    const program = {
      ...new Terminal({ size }).viewModes,
      mouseTracking: tracking,
      kittyFlags: flags,
    };
    expect(ttyModesFor(program, view, richest)).toEqual(asks);
  },
);

it('does not leave an alternate screen that it did not enter', () => {
  // tmux would move the cursor to where the alternate screen was last entered.
  fc.assert(
    fc.property(anyTerminal, (capabilities) => {
      const entering = enterTty(capabilities);
      expect(entering.indexOf('\x1b[?1049h')).toBeLessThan(entering.indexOf('\x1b[?1049l'));
    }),
    runs(10),
  );
});
