import fc from 'fast-check';
import { describe, it } from 'vitest';
import { Terminal } from '#vt';
import { runs } from '../../../test/support/run/runs.ts';
import { pictureOf } from '../../../test/support/tty/painted.ts';
import { PaintedXterm, xterms } from '../../../test/support/tty/painted-xterm.ts';
import { output, screenSize } from '../../../test/support/vt/terminal-output.ts';

/** On a screen of one column, our engine clips wide characters. */
const sizes = screenSize.filter(({ cols }) => cols > 1);

describe.each(xterms)('@xterm/headless as %s', (_name, capabilities) => {
  it('shows any screen, apart from text of an uncertain width', () => {
    const property = fc.property(sizes, fc.array(output, { maxLength: 4 }), (size, list) => {
      const program = new Terminal({ size });
      const host = new PaintedXterm(size, capabilities);
      for (const bytes of list) {
        program.feed(bytes);
        host.show(pictureOf(program));
        host.expectShows(pictureOf(program));
      }
    });
    fc.assert(property, runs(40));
  });
});
