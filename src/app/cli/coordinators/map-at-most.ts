/**
 * Calls `call` for every item, at most `atOnce` at a time, and returns the results in the order of
 * the items. Each call opens a connection, and a socket's queue of waiting connections is limited.
 */
export async function mapAtMost<Item, Result>(
  items: readonly Item[],
  atOnce: number,
  call: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const rest = items.entries();
  const work = async () => {
    for (const [index, item] of rest) results[index] = await call(item);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, work));
  return results;
}
