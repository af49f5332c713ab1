import { AsyncLocalStorage } from 'node:async_hooks';
import { type Coordinator, redactingCoordinator } from '#model';

/** The secrets that were replaced for the present call of a tool. */
class Count {
  secrets = 0;
}

/** Only used where secrets are replaced: from its first use on, it makes each promise of the process slower. */
const counts = new AsyncLocalStorage<Count | null>();

/** The calls that are made for more than what an answer shows. */
const notShown: ReadonlySet<keyof Coordinator> = new Set(['info', 'commandOutput']);

/** Returns the host of a server whose answers have no secrets. */
export function redactedHost(host: SessionHost): SessionHost {
  const redacted = (coordinator: Coordinator) =>
    redactingCoordinator(coordinator, true, (count, call) => {
      const present = counts.getStore() ?? null;
      if (present !== null && !notShown.has(call)) present.secrets += count;
    });
  return {
    reach: async () => {
      const coordinator = await host.reach();
      return coordinator && redacted(coordinator);
    },
    start: async () => redacted(await host.start()),
  };
}

/** Calls `use`, and returns how many secrets were replaced in what it read for its answer. */
export async function counted<T>(use: () => Promise<T>): Promise<{ answer: T; redacted: number }> {
  const count = new Count();
  const answer = await counts.run(count, use);
  return { answer, redacted: count.secrets };
}

/** Calls `use`, which reads what its answer does not show. */
export const uncounted = <T>(use: () => Promise<T>): Promise<T> =>
  counts.getStore() ? counts.run(null, use) : use();

/** The coordinator that owns a server's sessions. */
export interface SessionHost {
  /** Returns null if no coordinator runs: then there are no sessions. Does not start one. */
  reach(): Promise<Coordinator | null>;
  /** As `reach`, but starts a coordinator if none runs. @throws VtrError UNAVAILABLE */
  start(): Promise<Coordinator>;
}
