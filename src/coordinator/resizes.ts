import type { LeftSession, Session } from '#session';
import type { KnownResize, KnownResizes } from '#watch';

/** The most resizes of a session that are kept. */
const maxKnown = 32;

/** The last resizes of sessions. A subscription from a mark cannot read them from the output. */
export class Resizes {
  readonly #known = new WeakMap<Session, KnownResizes>();

  /** Continues with the resizes of a session that another coordinator left. */
  restore(session: Session, { facts }: LeftSession): void {
    const known = checked(facts.coordinator.resizes);
    const { cols, rows } = session.info().size;
    // A resize after the last save is replayed, but its revision is unknown.
    const isSame = facts.size.cols === cols && facts.size.rows === rows;
    if (known !== null && isSame) this.#known.set(session, known);
  }

  of(session: Session): KnownResizes {
    return this.#known.get(session) ?? { after: session.revision, resizes: [] };
  }

  /** @param onResize called after each */
  begin(session: Session, onResize: () => void): void {
    if (!this.#known.has(session)) this.#known.set(session, this.of(session));
    session.view.onEvent((event) => {
      if (event.type !== 'resize') return;
      const { after, resizes } = this.of(session);
      const all = [...resizes, { ...event, offset: session.view.outputEnd }];
      const dropped = all.at(-maxKnown - 1);
      const kept = { after: dropped?.revision ?? after, resizes: all.slice(-maxKnown) };
      this.#known.set(session, kept);
      onResize();
    });
  }
}

/** Returns null if the saved value is damaged. */
function checked(saved: unknown): KnownResizes | null {
  const { after, resizes } = (saved ?? {}) as Partial<KnownResizes>;
  if (typeof after !== 'number' || !Array.isArray(resizes)) return null;
  const isNumbers = (...values: unknown[]) => values.every((each) => typeof each === 'number');
  const isResize = (each: Partial<KnownResize> | null) =>
    each?.type === 'resize' &&
    isNumbers(each.revision, each.atMs, each.offset, each.size?.cols, each.size?.rows);
  return resizes.every(isResize) ? { after, resizes } : null;
}
