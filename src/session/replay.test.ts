import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Terminal } from '#vt';
import { inspect } from '#vt/checks';
import { runs } from '../../test/support/run/runs.ts';
import { type FakeSession, fakeSession } from '../../test/support/session/fake-session.ts';

type Action =
  | { readonly output: string }
  | { readonly cols: number; readonly rows: number }
  | { readonly passMs: number };

const size = { cols: 12, rows: 4 };

const piece = fc.constantFrom(
  ...['a', 'word ', '\r\n', '漢', '\x1b[31m', '\x1b[2J\x1b[H', '\x1b[?1049h', '\x1b[?1049l'],
  ...['\x1b[?2026h', '\x1b[?2026l', '\x1b[?2026h\x1b[Hframe', '\x1b]0;title\x07', '\x07', '\x1b['],
  ...['\x1b]133;A\x07$ \x1b]133;B\x07', 'ls\r\n\x1b]133;C\x07', '\x1b]133;D;0\x07', '\x1b[3A'],
  ...['\x1b[?2004h\x1b]133;A;redraw=last\x07long prompt\r\n$ \x1b]133;B\x07', '\x1b[?2004l'],
);
const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 6, arbitrary: fc.array(piece, { minLength: 1, maxLength: 6 }).map(joined) },
  fc.record({ cols: fc.integer({ min: 2, max: 30 }), rows: fc.integer({ min: 1, max: 8 }) }),
  fc.record({ passMs: fc.constantFrom(1, 400, 1000) }),
);

function joined(pieces: readonly string[]): Action {
  return { output: pieces.join('') };
}

function observed() {
  const terminal = new Terminal({ size });
  const fake = fakeSession({}, terminal);
  const events: string[] = [];
  fake.session.view.onEvent(({ type, revision }) => events.push(`${type} ${revision}`));
  return { ...fake, terminal, events };
}

type Observed = ReturnType<typeof observed>;

/** A step that was applied. Applying it again needs no clock. */
type Applied = (session: Pick<FakeSession, 'pty'>) => unknown;

async function perform(session: Observed, actions: readonly Action[]): Promise<Applied[]> {
  const applied: Applied[] = [];
  for (const each of actions) {
    const { pty, clock } = session;
    if ('output' in each) {
      pty.output(each.output);
      applied.push((again) => again.pty.output(each.output));
    } else if ('cols' in each) {
      const before = pty.notes.length;
      await session.session.resize(each);
      // Made while the resize was delivered, and kept before it.
      for (const [note, offset] of pty.notes.slice(before)) {
        applied.push((again) => again.pty.step({ type: 'note', offset, note }));
      }
      applied.push((again) => again.pty.resize(each));
    } else {
      const before = pty.notes.length;
      clock.advance(each.passMs);
      for (const [note, offset] of pty.notes.slice(before)) {
        applied.push((again) => again.pty.step({ type: 'note', offset, note }));
      }
    }
  }
  return applied;
}

/** Everything that a reader can notice. */
function facts({ session, terminal, events }: Observed) {
  const { revision } = terminal;
  const changes = Array.from({ length: revision + 1 }, (_, since) => ({
    rows: terminal.changedRows(since),
    rewritten: terminal.rewrittenFrom(since),
    cleared: terminal.clearedFrom(since),
  }));
  const commands = session.commands({}).commands.map(({ from, to, line, startRevision }) => ({
    from,
    to,
    line,
    startRevision,
  }));
  const { shownRevision } = terminal;
  return { revision, shownRevision, changes, commands, events, state: inspect(terminal) };
}

describe('the steps of a session', () => {
  it('make the same screen, revisions, changes and commands in a replay', async () => {
    const property = fc.asyncProperty(fc.array(action, { maxLength: 25 }), async (actions) => {
      const first = observed();
      const applied = await perform(first, actions);
      const second = observed();
      for (const apply of applied) await apply(second);
      expect(facts(second)).toEqual(facts(first));
      expect(second.pty.notes).toEqual([]);
    });
    await fc.assert(property, runs(200));
  });
});
