import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Cell, plainStyle } from '#model';
import { Terminal } from '#vt';
import { inspect } from '#vt/checks';
import { runs } from '../../../test/support/run/runs.ts';
import { PaintedTerminal, paintedSequence, terminals } from '../../../test/support/tty/painted.ts';

const encoder = new TextEncoder();

const attack = fc.constantFrom(
  ...['\x1b[2J', '\x1b]52;c;YQ==\x07', '\x1bc', '\x9b6n', '\x1b]0;x\x07', '\x1bP$qm\x1b\\', '\x07'],
  ...[
    '\x1b]8;;http://x\x1b\\',
    '\r',
    '\n',
    '\x7f',
    '\u2028',
    '\u202e',
    '\ud800',
    '\ufff9',
    '\x1b\\',
  ],
);
const text = fc.oneof(
  fc.constantFrom('a', ' ', '漢', 'é', '👩‍👩‍👧', ''),
  attack,
  fc.string({ unit: 'binary', maxLength: 6 }),
  fc.uint8Array({ maxLength: 6 }).map((bytes) => String.fromCharCode(...bytes)),
  fc.tuple(fc.constantFrom('a', '漢'), attack).map((parts) => parts.join('')),
);
const link = fc.oneof(
  fc.constant(null),
  fc.constantFrom('https://example.org/a?b#c', 'javascript:alert(1)', 'file:///etc/passwd', ''),
  attack.map((end) => `https://example.org/${end}`),
  fc.string({ unit: 'binary' }).map((end) => `https://${end}`),
);
const cell: fc.Arbitrary<Cell> = fc.record({
  text,
  width: fc.constantFrom(0, 1, 1, 1, 2),
  style: link.map((uri) => ({ ...plainStyle, link: uri, bold: uri === null })),
});
const rows = fc.array(fc.array(cell, { maxLength: 10 }), { maxLength: 5 });
const title = fc.oneof(fc.constant(null), text, fc.string({ unit: 'binary', maxLength: 400 }));

it('paints nothing but cells, whatever text, links and title contain', () => {
  const size = { cols: 8, rows: 4 };
  const cursor = {
    row: 1,
    col: 2,
    wrapPending: false,
    visible: true,
    shape: 'block',
    blinking: true,
  } as const;
  const property = fc.property(
    fc.constantFrom(...Object.values(terminals)),
    fc.array(fc.tuple(rows, title), { minLength: 1, maxLength: 3 }),
    (capabilities, pictures) => {
      const host = new PaintedTerminal(new Terminal({ size, allowClipboard: true }), capabilities);
      for (const [cells, name] of pictures) {
        const bytes = host.show({ size, rows: cells, cursor, title: name, reverseVideo: false });
        expect(bytes.replace(paintedSequence, '')).not.toMatch(/[\p{Surrogate}\0-\x1f\x7f-\x9f]/u);
        expect(encoder.encode(bytes)).toEqual(new Uint8Array(Buffer.from(bytes)));
      }
      const { terminal } = host;
      expect(terminal.takeReplies()).toBeNull();
      const events = terminal.takeEvents().filter(({ type }) => type !== 'title');
      expect(events).toEqual([]);
      const plain = new Terminal({ size });
      plain.feed(encoder.encode('\x1b[?7l'));
      expect(inspect(terminal)['modes']).toEqual(inspect(plain)['modes']);
      expect(terminal.title).not.toMatch(/[\0-\x1f\x7f-\x9f\u202e]/);
    },
  );
  fc.assert(property, runs(400));
});
