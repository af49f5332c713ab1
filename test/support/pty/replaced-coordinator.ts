import { LocalCoordinator } from '#coordinator';
import { ServedPtyd } from './served-ptyd.ts';

/** A coordinator that others replace, with one PTY host. */
export class ReplacedCoordinator {
  readonly #ptyd: ServedPtyd;
  #current: LocalCoordinator;

  static async start(): Promise<ReplacedCoordinator> {
    const ptyd = await ServedPtyd.start();
    return new ReplacedCoordinator(ptyd, await adopting(ptyd));
  }

  private constructor(ptyd: ServedPtyd, first: LocalCoordinator) {
    this.#ptyd = ptyd;
    this.#current = first;
  }

  get current(): LocalCoordinator {
    return this.#current;
  }

  /** Leaves the sessions to another coordinator, which is then the current one. */
  async replace(): Promise<LocalCoordinator> {
    await this.#current.detach();
    this.#current = await adopting(this.#ptyd);
    return this.#current;
  }

  /** Must be called at the end. */
  async dispose(): Promise<void> {
    await this.#current.close();
    await this.#ptyd.dispose();
  }
}

async function adopting(ptyd: ServedPtyd): Promise<LocalCoordinator> {
  const ptyHost = await ptyd.connect({ survival: { again: null } });
  const coordinator = new LocalCoordinator({ ptyHost, defaults: { cwd: '/' } });
  await coordinator.adopt();
  return coordinator;
}
