import { type Coordinator, VtrError } from '#model';

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

export interface LinkOptions {
  readonly name: string;
  readonly socket: string;
  /** Whether this process may start the daemon; else another one does. */
  readonly startsDaemon: boolean;
  /** Path of the `vtr` program. */
  readonly program: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A coordinator behind a socket. Its client is loaded when it is first connected. */
export const linkTo = ({
  name,
  socket,
  startsDaemon,
  ...command
}: LinkOptions): CoordinatorLink => ({
  name,
  async connect() {
    const [{ connect }, { isServedOrLeft, startIfLeft }] = await clients();
    const isLeft = await (startsDaemon ? startIfLeft : isServedOrLeft)(command, socket);
    if (isLeft) return connect({ socket });
    const message = `the coordinator at ${socket} has ended with its sessions`;
    throw new VtrError('UNAVAILABLE', message, { details: { socket, reason: 'ENOENT' } });
  },
  ...(startsDaemon ? { start: () => connectOrStart(command, socket) } : {}),
});

async function connectOrStart(
  command: Pick<LinkOptions, 'program' | 'env'>,
  socket: string,
): Promise<Coordinator> {
  const [{ connect }, { callOrStart, startDaemon }] = await clients();
  const start = async () => {
    await startDaemon(command, socket);
    return true;
  };
  return callOrStart(() => connect({ socket }), start);
}

const clients = () => Promise.all([import('#wire/service'), import('#app/client')]);
