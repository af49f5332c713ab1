import type { Coordinator } from '#model';

/** A coordinator that is reached when it is first needed. @param reach the same for each call, in order */
export function lateCoordinator(reach: () => Promise<Coordinator>): Coordinator {
  const call =
    (name: keyof Coordinator) =>
    async (...args: readonly unknown[]): Promise<unknown> => {
      const coordinator = await reach();
      return Reflect.apply(coordinator[name], coordinator, args);
    };
  return new Proxy({} as Coordinator, {
    get: (_target, name) => call(name as keyof Coordinator),
  });
}
