/**
 * Returns the first of several waits that is met; if none is, one that ended without, rather by its timeout than
 * with its program.
 *
 * @param isMet whether a wait that ended has met a condition
 * @param onFailure called for each wait that fails
 * @throws what the first wait that failed threw, if no wait ended
 */
export function firstWait<W extends { readonly result: { readonly outcome: string } }>(
  waits: readonly Promise<W>[],
  isMet: (wait: W) => boolean,
  onFailure: (thrown: unknown) => void,
): Promise<W> {
  return new Promise((resolve, reject) => {
    for (const wait of waits) {
      wait.then((ended) => {
        if (isMet(ended)) resolve(ended);
      }, onFailure);
    }
    void Promise.allSettled(waits).then((all) => {
      const ended = all.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
      const late = ended.find(({ result }) => result.outcome === 'timed_out');
      const failure = all.find((each) => each.status === 'rejected');
      const last = late ?? ended[0];
      if (last !== undefined) resolve(last);
      else reject(failure?.reason);
    });
  });
}
