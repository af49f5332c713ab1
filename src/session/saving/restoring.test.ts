import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeUtf8 } from '#base';
import type { Size } from '#model';
import type { ShellProof } from '#shell';
import { runs } from '../../../test/support/run/runs.ts';
import { SavedSession } from '../../../test/support/session/left-session.ts';

type Action =
  | { readonly output: string }
  | { readonly typed: string }
  | { readonly size: Size }
  | { readonly passMs: number }
  | { readonly label: string };

const size = { cols: 12, rows: 4 };
const scrollback = { maxLines: 12, maxBytes: 1 << 20 };

const piece = fc.constantFrom(
  ...['a', 'word ', '\r\n', '漢', '\x1b[31m', '\x1b[2J\x1b[H', '\x1b[?1049h', '\x1b[?1049l'],
  ...['\x1b[?2026h', '\x1b[?2026l', '\x1b[?2026h\x1b[Hframe', '\x1b]0;title\x07', '\x07', '\x1b['],
  ...['\x1b]133;A\x07$ \x1b]133;B\x07', 'ls\r\n\x1b]133;C\x07', '\x1b]133;D;0\x07', '\x1b[3A'],
  ...['\x1b[?2004h\x1b]133;A;redraw=last\x07long prompt\r\n$ \x1b]133;B\x07', '\x1b[?2004l'],
  ...['1\r\n2\r\n3\r\n4\r\n', '\x1b]7;file:///tmp\x07', '\x1b[c', '\x1b]133;', '\x1b]133;D;2\x1b'],
);
/** As a shell with the nonce `n`. */
const integrated = ['A', 'B', 'C', 'D;1', 'A;k=s'].map((mark) => `\x1b]133;${mark};nonce=n.1\x07`);
const editor = `\x1b[?2004h${integrated[0]}long prompt\r\n$ ${integrated[1]}`;
const output = fc
  .array(
    fc.oneof(
      { weight: 4, arbitrary: piece },
      fc.constantFrom(...integrated, editor, '\x1b]633;E;x\x07'),
    ),
    { minLength: 1, maxLength: 6 },
  )
  .map((pieces) => ({ output: pieces.join('') }));
const step = fc.oneof(
  { weight: 6, arbitrary: output },
  fc.record({
    size: fc.record({
      cols: fc.integer({ min: 2, max: 30 }),
      rows: fc.integer({ min: 1, max: 8 }),
    }),
  }),
  fc.record({ passMs: fc.constantFrom(1, 400, 1000) }),
);
const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 6, arbitrary: step },
  fc.record({ typed: fc.constantFrom('ls', 'x y', 'é') }),
  fc.record({ label: fc.constantFrom('a', 'b') }),
);

async function perform(saved: SavedSession, actions: readonly Action[]): Promise<void> {
  for (const each of actions) {
    if ('output' in each) saved.output(each.output);
    else if ('typed' in each) saved.type(`${each.typed}\r`, `${each.typed}\r\n`);
    else if ('size' in each) await saved.resize(each.size);
    else if ('label' in each) saved.session.changeLabels({ [each.label]: 'x' });
    else saved.pass(each.passMs);
    saved.mark();
  }
}

/** The output of a bash with our integration, with the time of each read in ms. */
const { shell, chunks }: { shell: ShellProof; chunks: [number, string][] } = JSON.parse(
  readFileSync(new URL('../../../test/golden/shells/bash-vtr.json', import.meta.url), 'utf8'),
);

/** Returns the output in pieces, with the time before each. */
function recordedSteps(pieceBytes: number): [number, Uint8Array][] {
  let before = 0;
  return chunks.flatMap(([atMs, text]) => {
    const bytes = encodeUtf8(text);
    const count = Math.ceil(bytes.length / Math.min(pieceBytes, bytes.length));
    const passMs = atMs - before;
    before = atMs;
    return Array.from({ length: count }, (_, index): [number, Uint8Array] => {
      const from = index === 0 ? 0 : index * pieceBytes;
      return [index === 0 ? passMs : 0, bytes.subarray(from, from + pieceBytes)];
    });
  });
}

async function record(saved: SavedSession, passMs: number, output: Uint8Array): Promise<void> {
  saved.pass(passMs);
  saved.output(output);
  saved.mark();
}

const exits = fc.constantFrom('none', 'before', 'after');

describe('[law 10] a session that is continued from what was saved', () => {
  it('equals the session, whenever it was saved', async () => {
    const property = fc.asyncProperty(
      ...[fc.array(action, { maxLength: 20 }), fc.array(step, { maxLength: 10 }), exits],
      async (before, after, exit) => {
        const saved = new SavedSession({ size, scrollback }, { shell: { nonce: 'n' } });
        await perform(saved, before);
        if (exit === 'before') saved.exit({ code: 1, signal: null });
        const checkpoint = saved.checkpoint();
        if (exit !== 'before') await perform(saved, after);
        if (exit === 'after') saved.exit({ code: 1, signal: null });
        const continued = await saved.continued(checkpoint);
        const { session, faults, pty } = continued;
        expect(session.info().restored).toBe('exactly');
        expect(saved.noticed(session)).toEqual(saved.noticed(saved.session));
        if (exit === 'none') {
          for (const each of [saved, continued]) each.pty.output('\x1b[?2026l!\r\n');
          expect(session.view.printedText()).toEqual(saved.session.view.printedText());
        }
        expect([...saved.faults, ...faults, ...pty.written, ...pty.notes]).toEqual([]);
      },
    );
    await fc.assert(property, runs(200));
  });

  it.each([
    ['as it was read', Number.POSITIVE_INFINITY],
    ['in pieces of 11 bytes', 11],
  ])('equals the session of an integrated bash, %s', async (_how, pieceBytes) => {
    const steps = recordedSteps(pieceBytes);
    for (let at = 0; at <= steps.length; at += pieceBytes === 11 ? 7 : 1) {
      const saved = new SavedSession({ size: { cols: 40, rows: 8 }, scrollback }, { shell });
      for (const [passMs, output] of steps.slice(0, at)) await record(saved, passMs, output);
      const checkpoint = saved.checkpoint();
      for (const [passMs, output] of steps.slice(at)) await record(saved, passMs, output);
      const { session } = await saved.continued(checkpoint);
      expect(session.commands({}).integration).toBe(steps.length > 0 ? 'integrated' : 'none');
      expect(saved.noticed(session)).toEqual(saved.noticed(saved.session));
    }
  });
});
