import { asVtrError, type Coordinator } from '#model';

/** Where a coordinator is to be had. */
export interface CoordinatorSource {
  /** Called for each call, in order. @throws VtrError UNAVAILABLE */
  reach(): Promise<Coordinator>;
  /** One that was reached does not answer. */
  lost(coordinator: Coordinator): void;
}

/** A coordinator that is reached when it is first needed, and anew after it was lost. */
export function lateCoordinator(source: CoordinatorSource): Coordinator {
  const call =
    (name: keyof Coordinator) =>
    async (...args: readonly unknown[]): Promise<unknown> => {
      const coordinator = await source.reach();
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
