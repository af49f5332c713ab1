import type { Disposable } from '#base';
import type { ExitStatus, Size } from '#model';
import {
  type AdoptedPty,
  nothingLearned,
  type Pty,
  type PtyHost,
  type PtySpawnRequest,
  type SavedChange,
  type Step,
} from '#pty';
import { KeptChanges } from '../session/kept-changes.ts';
import { FakePty } from './fake-pty.ts';

/** A pseudo-terminal without a program, in a host that its coordinators do not end. */
class LeftPty extends FakePty {
  override isSaved = true;
  readonly changes: KeptChanges;
  readonly #ended: () => void;
  #isTaken = false;
  /** Output, to be repeated for the next coordinator. */
  readonly #past: Parameters<FakePty['output']>[] = [];
  /** The last size that was set, to be repeated, too. */
  #size: Size | null = null;
  exited: { readonly status: ExitStatus; readonly atMs: number } | null = null;

  constructor(changes: KeptChanges, ended: () => void) {
    super();
    this.changes = changes;
    this.#ended = ended;
  }

  override save(change: SavedChange): void {
    if (!this.#isTaken) this.changes.apply(change);
  }

  override output(...output: Parameters<FakePty['output']>): void {
    super.output(...output);
    this.#past.push(output);
  }

  override resize(size: Size): Promise<number> {
    this.#size = size;
    return super.resize(size);
  }

  override onStep(listener: (step: Step) => void): Disposable {
    const steps = super.onStep(listener);
    if (this.#size !== null) this.step({ type: 'resize', offset: 0, size: this.#size });
    return steps;
  }

  override announceExit(status: ExitStatus): void {
    this.exited ??= { status, atMs: this.exitedAtMs ?? Date.now() };
    super.announceExit(status);
  }

  override onExit(listener: (status: ExitStatus) => void): Disposable {
    if (this.exited !== null) listener(this.exited.status);
    return super.onExit(listener);
  }

  override forget(): void {
    this.#ended();
  }

  /** Returns the same for another coordinator. */
  next(ended: () => void): LeftPty {
    this.#isTaken = true;
    const next = new LeftPty(this.changes, ended);
    for (const output of this.#past) next.output(...output);
    next.#size = this.#size;
    next.exitedAtMs = this.exitedAtMs;
    next.exited = this.exited;
    return next;
  }
}

/** The programs of a host that outlive its coordinators, each of which has an object of this class. */
export class FakePtyHost implements PtyHost {
  readonly #ptys: Map<number, LeftPty>;
  #adopted = false;

  constructor(before?: FakePtyHost) {
    const ptys = before === undefined ? [] : before.#ptys;
    this.#ptys = new Map();
    for (const [number, pty] of ptys) {
      this.#ptys.set(
        number,
        pty.next(() => this.#ptys.delete(number)),
      );
    }
  }

  /** The pseudo-terminal of a session. */
  pty(id: string): FakePty {
    const pty = [...this.#ptys.values()].find(({ changes }) =>
      Buffer.from(changes.facts).includes(id),
    );
    if (pty === undefined) throw new Error(`no session ${id}`);
    return pty;
  }

  async spawn({ facts = new Uint8Array(0) }: PtySpawnRequest): Promise<Pty> {
    const changes = new KeptChanges();
    changes.apply({ facts });
    const number = Math.max(0, ...this.#ptys.keys()) + 1;
    const pty = new LeftPty(changes, () => this.#ptys.delete(number));
    this.#ptys.set(number, pty);
    return pty;
  }

  async adopt(): Promise<readonly AdoptedPty[]> {
    if (this.#adopted) return [];
    this.#adopted = true;
    return [...this.#ptys.values()].map((pty) => ({
      pty,
      saved: pty.changes,
      answeredTo: 0,
      outputEnd: pty.outputEnd,
      exited: pty.exited,
      replayed: Promise.resolve(),
      lastEnterAt: 0,
      learned: nothingLearned,
      secrets: [],
    }));
  }

  onDeprived() {
    return { dispose() {} };
  }

  async listProcesses() {
    return [];
  }

  async detach(): Promise<void> {}
  async close(): Promise<void> {}
}
