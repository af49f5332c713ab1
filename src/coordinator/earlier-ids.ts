import type { SessionFacts } from '#session';

/** How many sessions before the one that a session continues are known to it. */
const maxEarlier = 100;

/**
 * Returns the ids of the ended sessions that a session continues, the oldest first: it was started again once for each.
 * Their files ({@link keptPrefix} in `#model`) stay as long as it does.
 */
export function earlierIds({ coordinator }: SessionFacts): readonly string[] {
  const { earlier, continues } = coordinator;
  const before = Array.isArray(earlier) ? earlier.filter((id) => typeof id === 'string') : [];
  return continues === undefined ? before : [...before, continues];
}

/** Returns the facts of a session that continues an ended one. */
export const continuing = ({
  id,
  facts,
}: {
  readonly id: string;
  readonly facts: SessionFacts;
}) => ({
  continues: id,
  earlier: earlierIds(facts).slice(-maxEarlier),
});
