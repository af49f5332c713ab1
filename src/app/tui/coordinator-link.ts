import type { Coordinator } from '#model';

/** How a coordinator is reached. */
export interface CoordinatorLink {
  readonly name: string;
  /**
   * Opens a connection; a daemon is started first if sessions are left without one. Calls are not
   * repeated when the connection is lost.
   *
   * @throws VtrError UNAVAILABLE
   */
  connect(): Promise<Coordinator>;
  /**
   * As `connect`, but starts a daemon if none runs. Absent if this process may not start it.
   *
   * @throws VtrError UNAVAILABLE
   */
  readonly start?: () => Promise<Coordinator>;
}
