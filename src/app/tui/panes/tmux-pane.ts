import { asVtrError, type TmuxEvent, type TmuxLink } from '#model';
import type { AttachEnd } from '../attach/scene.ts';
import { TmuxClient } from '../tmux-client.ts';
import type { Tty } from '../tty-screen/tty.ts';

/** A session of tmux: its windows are shown as its server lays them out. */
export interface TmuxSessionPlace {
  /** The socket path of the server. */
  readonly server: string;
  /** Of the session, without `=`. */
  readonly name: string;
}

interface TmuxPaneOptions extends TmuxSessionPlace {
  /** Whether the session is made if there is none. */
  readonly makes: boolean;
  /** Absent for a coordinator that is asked for no servers of tmux. */
  readonly tmux: TmuxLink | undefined;
  /** Another session is shown, or the same one has another name. */
  readonly shows: (name: string) => void;
}

/** How long a client that is left may take to end, in ms: its daemon ends it when the process has gone. */
const leavingMs = 500;

/** A client of tmux in a pane: the server draws the window, and does what the person does in it. */
export class TmuxPane {
  /** Resolves when nothing is shown any more. */
  readonly ended: Promise<AttachEnd>;
  readonly #tty: Tty;
  readonly #options: TmuxPaneOptions;
  #client: TmuxClient | null = null;
  /** What was done before the client was attached. */
  #early: TmuxEvent[] = [];
  #leave: (end: AttachEnd) => void = () => {};

  constructor(tty: Tty, options: TmuxPaneOptions) {
    this.#tty = tty;
    this.#options = options;
    const left = new Promise<AttachEnd>((resolve) => {
      this.#leave = resolve;
    });
    this.ended = Promise.race([this.#run(), left]);
  }

  send(...events: readonly TmuxEvent[]): void {
    if (this.#client === null) this.#early.push(...events);
    else this.#client.send(events);
  }

  detach(): void {
    const { name: session } = this.#options;
    this.send({ type: 'run', commands: 'detach-client' });
    setTimeout(() => this.#leave({ type: 'detached', session }), leavingMs).unref();
  }

  /** All keys are for the server. */
  isCommand(): boolean {
    return true;
  }

  async #run(): Promise<AttachEnd> {
    const { tmux, server, name, makes, shows } = this.#options;
    if (tmux === undefined) return { type: 'lost', reason: 'windows of tmux cannot be shown here' };
    try {
      const words = makes ? ['new-session', '-A', '-s', name] : attachWords(name);
      const { controlId: id, stderr } = await tmux.attach(server, words, this.#tty.size);
      if (id === undefined) return { type: 'lost', reason: `tmux: ${stderr.trim()}` };
      const client = new TmuxClient(this.#tty, {
        id,
        control: (of, lines) => tmux.control(of, lines),
        again: (session) => tmux.again(server, attachWords(session), this.#tty.size),
        begins: [{ type: 'usesMouse' }],
        shows,
      });
      const ended = client.run();
      this.#client = client;
      client.send(this.#early);
      const { message, status } = await ended;
      return status === 0
        ? { type: 'detached', session: name }
        : { type: 'lost', reason: `tmux: ${message}` };
    } catch (error) {
      return { type: 'lost', reason: asVtrError(error).message };
    }
  }
}

const attachWords = (name: string) => ['attach-session', '-t', `=${name}:`];
