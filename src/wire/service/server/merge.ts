/** What several sources give, as it comes, until all have ended. One that fails ends all. */
export async function* merge<T>(sources: readonly AsyncIterable<T>[]): AsyncGenerator<T> {
  const iterators = sources.map((source) => source[Symbol.asyncIterator]());
  const next = (iterator: AsyncIterator<T>) =>
    iterator.next().then((result) => ({ iterator, result }));
  const pending = new Map(iterators.map((iterator) => [iterator, next(iterator)]));
  try {
    while (pending.size > 0) {
      const { iterator, result } = await Promise.race(pending.values());
      // To the end of the row: one that always has something must not starve the others.
      pending.delete(iterator);
      if (result.done) continue;
      pending.set(iterator, next(iterator));
      yield result.value;
    }
  } finally {
    // Not awaited: a source that waits for its next value returns only after it.
    for (const iterator of pending.keys()) iterator.return?.().catch(() => {});
    for (const each of pending.values()) each.catch(() => {});
  }
}
