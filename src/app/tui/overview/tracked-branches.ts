import type { Clock, Disposable } from '#base';
import { directoryOf, type SessionInfo, type Tracking } from '#model';
import type { Entry } from './model.ts';

/** The least time between two looks at a directory, in ms. */
const pauseMs = 2_000;
/** git is ended after this time, in ms: the file system may not answer. */
const timeoutMs = 5_000;

interface Place {
  /** The sessions there, as of the last look. */
  infos: readonly SessionInfo[];
  lookedAtMs: number;
  timer: Disposable | null;
}

/**
 * Finds how far the branches in the directories of sessions are ahead of and behind their upstreams. It looks again when
 * a session there has changed: a command that has ended may have made a commit.
 */
export class TrackedBranches {
  readonly #clock: Clock;
  readonly #tell: (directory: string, tracking: Tracking | null) => void;
  readonly #places = new Map<string, Place>();
  #turn: Promise<void> = Promise.resolve();

  constructor(clock: Clock, tell: (directory: string, tracking: Tracking | null) => void) {
    this.#clock = clock;
    this.#tell = tell;
  }

  /** @param entries of this machine; those that have ended, and those without a branch, are not looked at */
  follow(entries: Iterable<Entry>): void {
    const byDirectory = new Map<string, SessionInfo[]>();
    for (const { info } of entries) {
      if (info.state === 'exited' || info.activity?.branch === undefined) continue;
      const directory = directoryOf(info);
      byDirectory.set(directory, [...(byDirectory.get(directory) ?? []), info]);
    }
    for (const [directory, place] of this.#places) {
      if (byDirectory.has(directory)) continue;
      place.timer?.dispose();
      this.#places.delete(directory);
    }
    for (const [directory, infos] of byDirectory) this.#renew(directory, infos);
  }

  dispose(): void {
    for (const { timer } of this.#places.values()) timer?.dispose();
    this.#places.clear();
  }

  #renew(directory: string, infos: readonly SessionInfo[]): void {
    const before = this.#places.get(directory);
    const isSame =
      before !== undefined &&
      before.infos.length === infos.length &&
      infos.every((info, at) => info === before.infos[at]);
    if (isSame) return;
    const place = before ?? { infos, lookedAtMs: Number.NEGATIVE_INFINITY, timer: null };
    place.infos = infos;
    this.#places.set(directory, place);
    const leftMs = place.lookedAtMs + pauseMs - this.#clock.nowMs();
    place.timer ??= this.#clock.schedule(Math.max(0, leftMs), () => {
      place.timer = null;
      place.lookedAtMs = this.#clock.nowMs();
      this.#turn = this.#turn.then(() => this.#look(directory));
    });
  }

  async #look(directory: string): Promise<void> {
    // Loaded on demand: in a directory without a repository, nobody needs it.
    const { gitIn, trackingOf } = await import('#git');
    const git = gitIn(process, directory, 'IO_ERROR', timeoutMs);
    const tracking = await trackingOf(git).catch(() => null);
    if (this.#places.has(directory)) this.#tell(directory, tracking);
  }
}
