import { expect, it } from 'vitest';
import type { Picture } from '#tty';
import { Terminal } from '#vt';
import { caseNames, readBytes, readCase } from '../../scripts/golden/case-files.mjs';
import { PaintedTerminal, pictureOf, terminals } from '../support/tty/painted.ts';
import { PaintedXterm, xterms } from '../support/tty/painted-xterm.ts';

/** The screens of a recorded program at its checkpoints. */
function pictures(name: string): Picture[] {
  const { size, checkpoints } = readCase(name);
  const bytes = readBytes(name);
  const program = new Terminal({ size });
  let from = 0;
  return checkpoints.map(({ offset }) => {
    program.feed(bytes.subarray(from, offset));
    from = offset;
    return pictureOf(program);
  });
}

it.each(caseNames())('%s is shown by every terminal for which it is painted', (name) => {
  const shown = pictures(name);
  const { size } = readCase(name);
  expect(shown).not.toEqual([]);
  const hosts = [
    ...Object.values(terminals).map((each) => new PaintedTerminal(new Terminal({ size }), each)),
    ...xterms.map(([, each]) => new PaintedXterm(size, each)),
  ];
  for (const picture of shown) {
    for (const host of hosts) {
      host.show(picture);
      host.expectShows(picture);
    }
  }
});
