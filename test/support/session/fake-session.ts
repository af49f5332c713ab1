import { defined } from '#base';
import type { Size } from '#model';
import { completeFacts, type LineArchive, Session, type SessionFacts } from '#session';
import { Terminal } from '#vt';
import { FakePty } from '../pty/fake-pty.ts';
import { VirtualClock } from '../virtual-clock.ts';

export interface FakeSession {
  readonly session: Session;
  readonly pty: FakePty;
  readonly clock: VirtualClock;
  /** The errors of observers and the terminal. */
  readonly faults: unknown[];
}

type LeftParts = NonNullable<ConstructorParameters<typeof Session>[0]['left']>;

export const fakeTerminal = (size: Size): Terminal => new Terminal({ size });

/** A session of 20x4 without a program. */
export function fakeSession(
  facts: Partial<SessionFacts> = {},
  terminal = fakeTerminal({ cols: 20, rows: 4 }),
  {
    isSaved = false,
    pty = new FakePty(),
    left,
    archive = null,
  }: { isSaved?: boolean; pty?: FakePty; left?: LeftParts; archive?: LineArchive | null } = {},
): FakeSession {
  pty.isSaved = isSaved;
  const clock = new VirtualClock();
  const faults: unknown[] = [];
  const session = new Session({
    facts: completeFacts({
      name: 'fake',
      id: 'id-1',
      createdAtMs: clock.wallMs(),
      startSize: terminal.size,
      ...facts,
    }),
    pty,
    terminal,
    clock,
    onFault: (error) => faults.push(error),
    archive,
    ...defined({ left }),
  });
  return { session, pty, clock, faults };
}
