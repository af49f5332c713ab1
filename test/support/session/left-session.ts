import type { ExitStatus, Size } from '#model';
import { nothingLearned, type ReadTime } from '#pty';
import {
  type CoordinatorFacts,
  LeftSession,
  type SavedChange,
  type SavedState,
  type Segment,
  type Session,
  type SessionSaving,
} from '#session';
import { Terminal } from '#vt';
import { inspect } from '#vt/checks';
import { commandOutput, markNow, read } from '#watch';
import { deferred } from '../deferred.ts';
import { FakePty } from '../pty/fake-pty.ts';
import { VirtualClock } from '../virtual-clock.ts';
import { fakeSession } from './fake-session.ts';

/** A step that was applied. Applying it again needs no clock. */
type Applied = (pty: FakePty) => void;

export interface Checkpoint extends SavedChange {
  readonly state: SavedState;
  readonly segments: readonly Segment[];
  /** How many steps precede it. */
  readonly steps: number;
}

const own: CoordinatorFacts = { order: 1, formerNames: ['old'], usedAtMs: 5 };

/** A session that is saved, with its steps. */
export class SavedSession {
  readonly pty: FakePty;
  readonly clock: VirtualClock;
  readonly session: Session;
  readonly faults: unknown[];
  readonly #applied: Applied[] = [];
  readonly #marks: string[] = [];

  constructor(terminal: ConstructorParameters<typeof Terminal>[0], facts = {}) {
    const fake = fakeSession(
      { id: 'saved', ...facts, terminal: { ...plain, ...terminal } },
      new Terminal(terminal),
      { isSaved: true },
    );
    this.pty = fake.pty;
    this.clock = fake.clock;
    this.session = fake.session;
    this.faults = fake.faults;
    this.mark();
  }

  output(text: string | Uint8Array): void {
    const readAt = this.#now();
    this.pty.output(text, readAt);
    this.#applied.push((pty) => pty.output(text, readAt));
  }

  /** Types a text and delivers its echo. */
  type(text: string, echo: string): void {
    this.session.sendText(text, {}).catch((error) => this.faults.push(error));
    this.output(echo);
  }

  async resize(size: Size): Promise<void> {
    const offset = this.pty.outputEnd;
    const before = this.pty.notes.length;
    await this.session.resize(size);
    // They were made before the step.
    for (const [note] of this.pty.notes.slice(before)) {
      this.#applied.push((pty) => pty.step({ type: 'note', offset, note }));
    }
    this.#applied.push((pty) => pty.step({ type: 'resize', offset, size }));
  }

  pass(ms: number): void {
    const before = this.pty.notes.length;
    this.clock.advance(ms);
    for (const [note, offset] of this.pty.notes.slice(before)) {
      this.#applied.push((pty) => pty.step({ type: 'note', offset, note }));
    }
  }

  exit(status: ExitStatus): void {
    const exitedAtMs = this.clock.wallMs();
    const exit = (pty: FakePty) => {
      pty.exitedAtMs = exitedAtMs;
      pty.announceExit(status);
    };
    exit(this.pty);
    this.#applied.push(exit);
  }

  /** Remembers a read mark of now. */
  mark(): void {
    this.#marks.push(markNow(this.session.view));
  }

  /** Returns the output of a session after the last mark. */
  unread({ view }: Session): string {
    const since = this.#marks.at(-1) ?? markNow(view);
    return read(view, { since }).text.tail;
  }

  /** Saves the state, and the lines above the screen as segments of `linesAtOnce`. */
  checkpoint(linesAtOnce = 3): Checkpoint {
    const { saving } = this;
    const segments: Segment[] = [];
    for (let from = saving.firstLine; from < saving.linesEnd; ) {
      const segment = saving.lines(from, Math.min(saving.linesEnd, from + linesAtOnce));
      segments.push(segment);
      from = segment.to;
    }
    return { state: saving.state(), segments, steps: this.#applied.length };
  }

  get saving(): SessionSaving {
    const { saving } = this.session;
    if (saving === null) throw new Error('the session is not saved');
    return saving;
  }

  /** Continues it in another coordinator, which applies the steps after the checkpoint. */
  async continued(saved: Checkpoint | null, answeredTo = Infinity): Promise<Continued> {
    const clock = new VirtualClock();
    clock.advance(this.clock.nowMs());
    const chunks = await this.pty.keptOutput(0);
    const { offset } = saved?.state ?? { offset: 0 };
    const pty = new FakePty(
      offset,
      chunks.filter((chunk) => chunk.offset < offset),
    );
    pty.isSaved = true;
    const faults: unknown[] = [];
    const { exitStatus, exitedAtMs } = this.session.facts;
    const exited = exitStatus && exitedAtMs ? { status: exitStatus, atMs: exitedAtMs } : null;
    const facts = this.saving.facts(own);
    const { promise: replayed, resolve: endReplay } = deferred<void>();
    const left = new LeftSession(
      {
        pty,
        answeredTo,
        exited,
        outputEnd: this.pty.outputEnd,
        replayed,
        lastEnterAt: 0,
        learned: nothingLearned,
        secrets: [],
        saved: { facts, state: saved?.state ?? null, segments: saved?.segments ?? [] },
      },
      { clock, onFault: (error) => faults.push(error) },
    );
    const session = left.restore();
    const events: string[] = [];
    session.view.onEvent(({ type }) => events.push(type));
    // It reads from the next turn on.
    await new Promise((resolve) => setImmediate(resolve));
    for (const apply of this.#applied.slice(saved?.steps ?? 0)) apply(pty);
    endReplay();
    await session.replayed;
    return { session, pty, clock, left, faults, events };
  }

  noticed(session: Session): unknown {
    return noticed(session, this.#marks);
  }

  #now(): ReadTime {
    return { wallMs: this.clock.wallMs(), bootMs: this.clock.nowMs() };
  }
}

/** Everything that a client can notice of a session. */
export function noticed(session: Session, marks: readonly string[]): unknown {
  const { view } = session;
  const { terminal } = view;
  const revisions = Array.from({ length: terminal.revision + 1 }, (_, since) => since);
  return {
    info: { ...session.info(), restored: undefined },
    shownRevision: terminal.shownRevision,
    changes: revisions.map((since) => ({
      rows: terminal.changedRows(since),
      rewritten: terminal.rewrittenFrom(since),
      cleared: terminal.clearedFrom(since),
      returned: terminal.returnedFrom(since),
    })),
    reads: marks.map((since) => read(view, { since })),
    raw: read(view, { since: markNow(view), format: 'raw' }),
    lines: session.readLines({ format: 'ansi' }),
    screen: session.screen({ format: 'ansi' }),
    commands: session.commands({}),
    outputs: session.commands({}).commands.map((command) => ({
      text: commandOutput(view, command, {}),
      raw: commandOutput(view, command, { format: 'raw' }),
    })),
    shell: [
      ...[view.commands.integration, view.commands.starting, view.commands.continues],
      ...[view.commands.prompt, view.commands.typing],
    ],
    typed: view.commands.typedAfter(0),
    withoutCommand: view.commands.statusWithoutCommand(0),
    inputs: [view.inputCount, view.inputs, view.lastInputAt, view.lastInputAtMs],
    line: view.lineAtCursor(),
    outputEnd: [view.outputEnd, view.lastOutputAtMs],
    state: inspect(terminal),
  };
}

export interface Continued {
  readonly session: Session;
  readonly pty: FakePty;
  readonly clock: VirtualClock;
  readonly left: LeftSession;
  readonly faults: readonly unknown[];
  /** The types of the events that its observers got. */
  readonly events: readonly string[];
}

const plain = {
  scrollback: { maxLines: 10_000, maxBytes: 1 << 25 },
  allowClipboard: false,
  graphemeClusters: true,
};
