import { asVtrError, type Coordinator, VtrError } from '#model';

/**
 * Returns a coordinator that does not claim that a session does not exist while some sessions are not
 * known.
 *
 * @param silentHosts the number of PTY hosts whose sessions are not known
 */
export function incompleteCoordinator(coordinator: Coordinator, silentHosts: number): Coordinator {
  const hosts = silentHosts === 1 ? 'a PTY host' : `${silentHosts} PTY hosts`;
  const unknown = (what: string) => {
    const message = `${what}: ${hosts} that cannot be used may have it; see vtr doctor`;
    return new VtrError('UNAVAILABLE', message);
  };
  return new Proxy(coordinator, {
    get(target, name: keyof Coordinator) {
      const method: unknown = target[name];
      if (typeof method !== 'function') return method;
      return async (...args: unknown[]) => {
        try {
          return await method.apply(target, args);
        } catch (error) {
          const { code, message } = asVtrError(error);
          throw code === 'SESSION_NOT_FOUND' ? unknown(message) : error;
        }
      };
    },
  });
}
