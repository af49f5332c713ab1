import fc from 'fast-check';
import { describe } from 'vitest';
import type { Size } from '#model';
import { Terminal } from '#vt';
import { caseNames, readBytes, readCase } from '../../scripts/golden/case-files.mjs';
import { needs } from '../support/run/needs.ts';
import { runs } from '../support/run/runs.ts';
import { TmuxOracle, type TmuxScreen } from '../support/vt/tmux-oracle.ts';
import { tmuxOutput } from '../support/vt/tmux-output.ts';

const small: Size = { cols: 20, rows: 6 };

/** Text, and the style of each character; an empty cell may have any. */
function look(terminal: Terminal): unknown {
  return Array.from({ length: terminal.size.rows }, (_, row) => {
    const cells = terminal.readRow(row).cells();
    return cells.map(({ text, style }) => (text.trim() === '' ? ' ' : [text, style]));
  });
}

/** The rows of tmux, fed to a terminal of ours. */
function shownBy({ rows }: TmuxScreen, { cols, rows: height }: Size): Terminal {
  const terminal = new Terminal({ size: { cols, rows: height } });
  // tmux writes line drawing in G1.
  const text = `\x1b)0${rows.replace(/\n$/, '').replaceAll('\n', '\r\n')}`;
  terminal.feed(new TextEncoder().encode(text));
  return terminal;
}

/** @throws Error when the two differ */
function expectSame(oracle: TmuxOracle, size: Size, bytes: Uint8Array): void {
  const terminal = new Terminal({ size });
  terminal.feed(bytes);
  const shown = oracle.show(bytes);
  const theirs = shownBy(shown, size);
  const { row, col } = terminal.cursor;
  const places = [{ row, col }, shown.cursor].map((place) => JSON.stringify(place));
  const looks = [look(terminal), look(theirs)].map((each) => JSON.stringify(each));
  if (looks[0] === looks[1] && places[0] === places[1]) return;
  const rows = [terminal.screenText(), theirs.screenText()].map((each) => JSON.stringify(each));
  throw new Error([JSON.stringify(new TextDecoder().decode(bytes)), ...rows, ...places].join('\n'));
}

function withTmux(size: Size, use: (oracle: TmuxOracle) => void): void {
  const oracle = new TmuxOracle(size);
  try {
    use(oracle);
  } finally {
    oracle.close();
  }
}

/** Recordings at the end of which the two differ, and why. */
const differing: Readonly<Record<string, string>> = {
  colors: 'overline is captured as 5:3',
  'wide-characters':
    'the first half of a wide character stays when its second half is written over',
};

describe('a terminal and tmux', () => {
  needs('tmux')('show the same after output that both support', () => {
    withTmux(small, (oracle) => {
      const property = fc.property(tmuxOutput, (text) => {
        expectSame(oracle, small, new TextEncoder().encode(text));
      });
      fc.assert(property, runs(100));
    });
  });

  for (const name of caseNames()) {
    if (differing[name] !== undefined) continue;
    needs('tmux')(`show the same after the output of a program: ${name}`, () => {
      const { size } = readCase(name);
      withTmux(size, (oracle) => expectSame(oracle, size, readBytes(name)));
    });
  }
});
