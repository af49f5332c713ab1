import { defined } from '#base';
import {
  asVtrError,
  type CallerEnvironment,
  type Coordinator,
  isAddress,
  type TmuxLink,
  VtrError,
} from '#model';

/** How a coordinator is reached. */
export interface CoordinatorLink {
  readonly name: string;
  readonly socket: string;
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
  /** Whether the coordinator answers, or does not run; false if it answers nothing for 2 s. */
  responds(): Promise<boolean>;
  /** Absent where nobody looks at windows of tmux. */
  readonly tmux?: TmuxLink;
}

export interface LinkOptions {
  readonly name: string;
  readonly socket: string;
  /** Whether it is the person's own, which this process may start. */
  readonly isOwn: boolean;
  /** Whether a daemon answers, or will; starts it first if sessions are left without one, or with `always`. */
  readonly reach: (mayStart?: 'always') => Promise<boolean>;
  /** The environment of new sessions. Default: the coordinator decides. */
  readonly caller?: () => Promise<{ readonly caller?: CallerEnvironment }>;
  /** Why it cannot be reached, if that is known without a connection. Default: nothing is */
  readonly problem?: () => Promise<VtrError | null>;
  readonly tmux?: TmuxLink;
}

/** A person is told that a coordinator is silent, and it is used again once it answers. In ms. */
const silenceMs = 2_000;

/** A coordinator behind a socket. Its client is loaded when it is first connected. */
export const linkTo = (options: LinkOptions): CoordinatorLink => {
  const { name, socket, isOwn, reach, problem, tmux } = options;
  const connected = async () => {
    const { connect } = await import('#wire/service');
    const { caller } = (await options.caller?.()) ?? {};
    // A suspended coordinator does not end the link: the person is told, and the link works again afterwards.
    return connect({ socket, client: 'cli', ...(caller && { caller: () => caller }) });
  };
  return {
    name,
    socket,
    ...defined({ tmux }),
    async connect() {
      const reason = await problem?.();
      if (reason) throw reason;
      // Whether a daemon serves at an address is known once it is connected.
      if (isAddress(socket) || (await reach())) return connected();
      const message = `the coordinator at ${socket} has ended with its sessions`;
      throw new VtrError('UNAVAILABLE', message, { details: { socket, reason: 'ENOENT' } });
    },
    async responds() {
      // Its connection ends if it does not.
      if (isAddress(socket)) return true;
      const { responds } = await import('#wire/service');
      return responds(socket, silenceMs);
    },
    ...(isOwn && {
      async start() {
        await reach('always');
        return connected();
      },
    }),
  };
};

/** Returns the message of an error. That of a pattern begins with the problem: a row may be short. */
export function problemText(error: unknown): string {
  const { code, message } = asVtrError(error);
  if (code !== 'INVALID_PATTERN') return message;
  const reason = message
    .replace(/^.*(?:regular expression|parsing regexp): /s, '')
    .replace(/: `.*`$/s, '');
  return `not a pattern: ${reason}`;
}
