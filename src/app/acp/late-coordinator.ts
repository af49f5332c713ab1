import { asVtrError, type Coordinator } from '#model';

/** Where a coordinator is to be had. */
export interface CoordinatorSource {
  /**
   * Called for each call, in order.
   *
   * @param isNeeded it is to be made where there is none
   * @throws VtrError UNAVAILABLE
   */
  reach(isNeeded: boolean): Promise<Coordinator>;
  /** One that was reached does not answer. */
  lost(coordinator: Coordinator): void;
}

/** What needs one. A coordinator that has just been started knows no session, lease or reader. */
const beginnings: ReadonlySet<string> = new Set(['spawn', 'publish', 'openLease']);

/** A coordinator that is reached when it is first needed, and anew after it was lost. */
export function lateCoordinator(source: CoordinatorSource): Coordinator {
  const call =
    (name: keyof Coordinator) =>
    async (...args: readonly unknown[]): Promise<unknown> => {
      const coordinator = await source.reach(beginnings.has(name));
      try {
        return await Reflect.apply(coordinator[name], coordinator, args);
      } catch (error) {
        if (asVtrError(error).code === 'UNAVAILABLE') source.lost(coordinator);
        throw error;
      }
    };
  return new Proxy({} as Coordinator, {
    // It is no promise, however it is handed on.
    get: (_target, name) => (name === 'then' ? undefined : call(name as keyof Coordinator)),
  });
}
