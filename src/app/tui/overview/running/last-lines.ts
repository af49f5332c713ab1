import { type FramedScreen, screenAfter } from '#mirror/frames';
import {
  type Coordinator,
  cellsText,
  looksLikePrompt,
  type RowFrame,
  type SessionRef,
  type SessionsWatch,
} from '#model';

type Ref = Exclude<SessionRef, string>;

/** What is known of a session's screen. */
interface Known {
  readonly screen: FramedScreen;
  readonly line: string;
}

/** The last line that each of some sessions shows, once a second. */
export class LastLines {
  readonly #tell: (lines: ReadonlyMap<string, string>) => void;
  readonly #known = new Map<string, Known>();
  #coordinator: Coordinator | null = null;
  #watch: SessionsWatch | null = null;
  #sessions: readonly Ref[] = [];
  #changed = new Map<string, string>();

  constructor(tell: (lines: ReadonlyMap<string, string>) => void) {
    this.#tell = tell;
  }

  /** Follows sessions instead of those before. */
  follow(sessions: readonly Ref[]): void {
    const ids = new Set(sessions.map(({ id }) => id));
    const isSame =
      ids.size === this.#sessions.length && this.#sessions.every(({ id }) => ids.has(id));
    if (isSame) return;
    this.#sessions = sessions;
    for (const id of this.#known.keys()) if (!ids.has(id)) this.#known.delete(id);
    this.#watch?.setFrames(this.#frames()).catch(() => {});
  }

  /** Follows the sessions by a connection, until it is lost or `end`. */
  async begin(coordinator: Coordinator): Promise<void> {
    this.#coordinator = coordinator;
    try {
      const watch = await coordinator.watchSessions();
      if (this.#coordinator !== coordinator) {
        watch.dispose();
        return;
      }
      this.#watch = watch;
      await watch.setFrames(this.#frames());
      for await (const event of watch) {
        if (event.type === 'frame') this.#read(event.id, event.frame);
      }
    } catch {
      // The other watch of the same connection tells why it was lost.
    }
  }

  end(): void {
    this.#coordinator = null;
    this.#watch?.dispose();
    this.#watch = null;
    this.#known.clear();
  }

  dispose(): void {
    this.end();
    this.#changed.clear();
  }

  #frames() {
    return this.#sessions.length === 0 ? null : { sessions: this.#sessions, perSecond: 1 };
  }

  #read(id: string, frame: RowFrame): void {
    const before = this.#known.get(id);
    const screen = screenAfter(before?.screen ?? null, frame);
    if (screen === null) return;
    const line = lineOf(screen);
    this.#known.set(id, { screen, line });
    if (line === before?.line) return;
    if (this.#changed.size === 0) queueMicrotask(() => this.#tellChanged());
    this.#changed.set(id, line);
  }

  #tellChanged(): void {
    const lines = this.#changed;
    this.#changed = new Map();
    if (lines.size > 0) this.#tell(lines);
  }
}

/** The last row with text; on the primary screen, of those down to the cursor, unless its row is an empty prompt. */
function lineOf({ rows, cursor, alternate }: FramedScreen): string {
  const textOf = (row: number) => cellsText(rows[row] ?? []).trim();
  const isPrompt = !alternate && looksLikePrompt(textOf(cursor.row));
  const end = alternate ? rows.length : isPrompt ? cursor.row : cursor.row + 1;
  for (let row = end - 1; row >= 0; row--) {
    const text = textOf(row);
    if (text !== '') return text;
  }
  return '';
}
