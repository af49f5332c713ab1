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
  const call = async (
    name: keyof Coordinator,
    args: readonly unknown[],
    isAgain = false,
  ): Promise<unknown> => {
    const isNeeded = beginnings.has(name);
    const coordinator = await source.reach(isNeeded);
    try {
      return await Reflect.apply(coordinator[name], coordinator, args);
    } catch (error) {
      const { code, message } = asVtrError(error);
      if (code === 'UNAVAILABLE') source.lost(coordinator);
      // Nobody has heard of it, so it is not done twice.
      const isUnheard = code === 'UNAVAILABLE' && /ECONNREFUSED|ENOENT/.test(message);
      if (!isNeeded || !isUnheard || isAgain) throw error;
      return call(name, args, true);
    }
  };
  return new Proxy({} as Coordinator, {
    // It is no promise, however it is handed on.
    get: (_target, name) =>
      name === 'then'
        ? undefined
        : (...args: readonly unknown[]) => call(name as keyof Coordinator, args),
  });
}
