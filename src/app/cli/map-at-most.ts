/**
 * The results of calls of which only so many are made at a time, in the order of the items: each call
 * to a coordinator is a connection of its own, and a socket lets only so many wait.
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
