import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeUtf8 } from '#base';
import { Terminal } from '#vt';
import { inspect, verify } from '#vt/checks';
import { runs } from '../../test/support/run/runs.ts';
import { expectSameTerminal } from '../../test/support/vt/same-terminal.ts';
import { output, screenSize, sizeChange } from '../../test/support/vt/terminal-output.ts';
import { charWidth } from './cells/width.ts';

const scrollback = { maxLines: 50, maxBytes: 1 << 20 };
type Size = { cols: number; rows: number };

const isSurrogate = (codePoint: number) => codePoint >= 0xd800 && codePoint <= 0xdfff;

const fresh = (size: Size, firstLine = 0) => new Terminal({ size, scrollback, firstLine });

function fedWith(size: Size, ...chunks: Uint8Array[]): Terminal {
  const terminal = fresh(size);
  for (const chunk of chunks) terminal.feed(chunk);
  return terminal;
}

function copyOf(terminal: Terminal): Terminal {
  const { dump, firstLine } = terminal.snapshot();
  const copy = fresh(terminal.size, firstLine);
  copy.feed(dump);
  return copy;
}

describe('a terminal', () => {
  it('[law 1] can be restored from its dump', () => {
    const property = fc.property(screenSize, output, (size, bytes) => {
      const terminal = fedWith(size, bytes);
      expectSameTerminal(copyOf(terminal), terminal);
    });
    fc.assert(property, runs(1500));
  });

  it('[law 1] can be restored from its dump in a frame in which it was reset', () => {
    const terminal = fedWith({ cols: 4, rows: 2 }, Buffer.from('\x1b[?2026h\x1bc\x1b[?2026h'));
    expect(terminal.snapshot().firstLine).toBeGreaterThan(terminal.firstLine);
    expectSameTerminal(copyOf(terminal), terminal);
  });

  it('[law 1] can be restored from its dump with a regional indicator in a cluster', () => {
    const size = { cols: 4, rows: 1 };
    const terminal = fedWith(size, Buffer.from('🇩\u200d'));
    expectSameTerminal(copyOf(terminal), terminal);
  });

  it('[law 1] can be restored from its dump after resizes, too, and then behaves like the original', () => {
    const property = fc.property(screenSize, output, sizeChange, output, (size, one, next, two) => {
      const terminal = fedWith(size, one);
      terminal.resize(next.size, next.place);
      const copy = copyOf(terminal);
      terminal.feed(two);
      copy.feed(two);
      expectSameTerminal(copy, terminal);
    });
    fc.assert(property, runs(1500));
  });

  it('[law 2] does not depend on how output is split into chunks', () => {
    const cuts = fc.array(fc.nat({ max: 400 }), { maxLength: 20 });
    const property = fc.property(screenSize, output, cuts, (size, bytes, at) => {
      const places = [0, ...at.filter((place) => place < bytes.length), bytes.length];
      places.sort((a, b) => a - b);
      const chunks = places.slice(1).map((to, index) => bytes.subarray(places[index], to));
      expectSameTerminal(fedWith(size, ...chunks), fedWith(size, bytes));
    });
    fc.assert(property, runs(1000));
  });

  it('[law 2] has the same line position, however often readers ask for it, also during a feed', () => {
    const changes = fc.array(fc.oneof(output, screenSize, fc.constant('end of frame')), {
      maxLength: 6,
    });
    const property = fc.property(screenSize, changes, (size, all) => {
      const [second, other] = [fresh(size), fresh(size)];
      second.onPositionedEvent(() => void second.linePosition());
      for (const change of all) {
        for (const terminal of [second, other]) {
          if (change === 'end of frame') terminal.endFrame();
          else if ('cols' in change) terminal.resize(change);
          else terminal.feed(change);
        }
        second.linePosition();
      }
      expect(second.linePosition()).toEqual(other.linePosition());
    });
    fc.assert(property, runs(500));
  });

  it('[law 2] is the same when it is fed byte by byte', () => {
    const property = fc.property(screenSize, output, (size, bytes) => {
      const bytewise = fedWith(size, ...Array.from(bytes, (byte) => Uint8Array.of(byte)));
      expectSameTerminal(bytewise, fedWith(size, bytes));
    });
    fc.assert(property, runs(500));
  });

  it('[law 2] is the same when a character without a width follows the last column', () => {
    const size = { cols: 2, rows: 2 };
    for (let codePoint = 0xa0; codePoint <= 0x10_ffff; codePoint++) {
      if (charWidth(codePoint) > 0 || isSurrogate(codePoint)) continue;
      const bytes = encodeUtf8(`ab${String.fromCodePoint(codePoint)}`);
      expectSameTerminal(
        fedWith(size, bytes.subarray(0, 2), bytes.subarray(2)),
        fedWith(size, bytes),
      );
    }
  });

  it('[law 2] is the same when it is read between chunks', () => {
    const property = fc.property(screenSize, fc.array(output, { maxLength: 4 }), (size, chunks) => {
      const watched = fresh(size);
      for (const chunk of chunks) {
        watched.feed(chunk);
        inspect(watched);
        expect(verify(watched)).toEqual([]);
      }
      expectSameTerminal(watched, fedWith(size, ...chunks));
    });
    fc.assert(property, runs(500));
  });

  it('[law 3] passes verify after any output and any resizes', () => {
    const steps = fc.array(fc.tuple(output, sizeChange), { maxLength: 4 });
    const property = fc.property(screenSize, steps, (size, list) => {
      const terminal = fresh(size);
      for (const [bytes, next] of list) {
        terminal.feed(bytes);
        expect(verify(terminal)).toEqual([]);
        terminal.resize(next.size, next.place);
        expect(verify(terminal)).toEqual([]);
      }
    });
    fc.assert(property, runs(1000));
  });
});
