import type { Clock } from '#base';
import {
  checkFeeder,
  checkLifetime,
  checkLimits,
  checkRawBytes,
  checkScrollbackLines,
  checkSize,
  defaultSize,
  type PublishRequest,
  type Size,
  type SpawnRequest,
} from '#model';
import {
  buildEnvironment,
  createPtyHost,
  defaultShell,
  type EndOptions,
  FedPty,
  type Pty,
  type PtyHost,
  type PtySpawnRequest,
  resolveProgram,
} from '#pty';
import { integrateShell, mayBeShell } from '#shell';
import {
  type CellPixels,
  defaultScrollback,
  type ScrollbackLimits,
  Terminal,
  type TerminalColors,
} from '#vt';
import { FedSession } from './fed-session.ts';
import { scrollbackLimits } from './scrollback-limits.ts';
import { Session } from './session.ts';

/** What a session has when its request does not say. */
export interface SessionDefaults {
  /** Where programs start; this process's directory when absent. */
  readonly cwd?: string;
  /** The program when none is named; else the user's SHELL, else bash, else sh. */
  readonly shell?: string;
  readonly size?: Size;
  /** TERM; `xterm-256color` when absent. */
  readonly term?: string;
  /** 10,000 lines and 32 MiB when absent. */
  readonly scrollback?: ScrollbackLimits;
  /** What programs are told when they ask for colours; xterm's when absent. */
  readonly colors?: TerminalColors;
  /** What programs are told that a cell measures, in pixels; 10 by 20 when absent. */
  readonly cellPixels?: CellPixels;
  /** Whether programs may ask for text to be put into the clipboard (OSC 52); not when absent. */
  readonly allowClipboard?: boolean;
  /** Whether terminals start with grapheme clusters (mode 2027) on; true when absent. */
  readonly graphemeClusters?: boolean;
  /** Whether interactive shells are made to mark their commands; they are when absent. */
  readonly shellIntegration?: boolean;
  /** What programs inherit from; this process's environment when absent. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

type Place = Omit<PtySpawnRequest, 'program' | 'env'>;

interface Started {
  readonly pty: Pty;
  /** What its shell proves itself with, where it was made to mark its commands. */
  readonly nonce: string | null;
}

export interface SessionFactoryOptions {
  readonly clock: Clock;
  readonly defaults: SessionDefaults;
  /** Told what an observer threw before it was dropped, and of defects of ours. */
  readonly onFault: (error: unknown) => void;
}

/** Makes sessions, in pseudo-terminals of this process. */
export class SessionFactory {
  readonly #options: SessionFactoryOptions;
  readonly #host: PtyHost;
  /** Without a host: nothing of them can be left behind. */
  readonly #fed = new Set<FedPty>();

  /** @throws VtrError SPAWN_FAILED where this platform has no pseudo-terminals that we know. */
  constructor(options: SessionFactoryOptions) {
    this.#options = options;
    this.#host = createPtyHost({ onListenerError: options.onFault });
  }

  /**
   * Starts a program; the session's output is read from its first byte.
   *
   * @param identity a checked name, and an id that was never used
   * @throws VtrError as `Coordinator.spawn`
   */
  async spawn(request: SpawnRequest, identity: { name: string; id: string }): Promise<Session> {
    const { defaults, clock, onFault } = this.#options;
    // Copies, because the caller's may change while the system is asked.
    const size = { ...checkSize(request.size ?? defaults.size ?? defaultSize) };
    const args = [...(request.args ?? [])];
    const ends = endsOf(request);
    const scrollback = scrollbackOf(request);
    const cwd = request.cwd ?? defaults.cwd ?? process.cwd();
    const place = { args, size, cwd, marker: identity };
    const { pty, nonce } = await this.#startProgram(request, place);
    const terminal = this.#newTerminal(size, scrollback);
    const facts = { ...identity, args, cwd, createdAtMs: clock.wallMs(), ...ends };
    const proof = nonce === null ? {} : { nonce };
    return new Session({ facts, pty, terminal, clock, onFault, ...proof });
  }

  /**
   * Makes a session that has no program, and what feeds it.
   *
   * @param identity a checked name, and an id that was never used
   * @throws VtrError INVALID_SIZE, INVALID_ARGUMENT
   */
  publish(request: PublishRequest, identity: { name: string; id: string }): FedSession {
    const { defaults, clock, onFault } = this.#options;
    const { program = '', args = [], cwd = '', fromPipe = false } = request;
    const fedBy = checkFeeder(request.by);
    const size = { ...checkSize(request.size ?? defaults.size ?? defaultSize) };
    const pty = new FedPty({ program, by: fedBy, fromPipe, onListenerError: onFault });
    const terminal = this.#newTerminal(size);
    const ends = endsOf(request);
    const facts = {
      ...identity,
      args: [...args],
      cwd,
      fedBy,
      createdAtMs: clock.wallMs(),
      ...ends,
    };
    const session = new Session({ facts, pty, terminal, clock, onFault });
    this.#fed.add(pty);
    pty.onExit(() => this.#fed.delete(pty));
    return new FedSession(session, pty);
  }

  /** Ends every session with all that it started. @throws VtrError PTY_ERROR that names what is left */
  async close(options: EndOptions = {}): Promise<void> {
    for (const pty of this.#fed) void pty.end();
    await this.#host.close(options);
  }

  #newTerminal(size: Size, asked: ScrollbackLimits | null = null): Terminal {
    const { defaults } = this.#options;
    const { scrollback = defaultScrollback, colors, cellPixels } = defaults;
    const { allowClipboard = false, graphemeClusters = true } = defaults;
    return new Terminal({
      size,
      scrollback: asked ?? scrollback,
      allowClipboard,
      graphemeClusters,
      ...(colors === undefined ? {} : { colors }),
      ...(cellPixels === undefined ? {} : { cellPixels }),
    });
  }

  async #startProgram(request: SpawnRequest, place: Place): Promise<Started> {
    const { shell, term, environment = process.env } = this.#options.defaults;
    const env = buildEnvironment({
      mode: request.environment ?? 'inherit',
      base: environment,
      cwd: place.cwd,
      ...(request.env === undefined ? {} : { explicit: request.env }),
      ...(term === undefined ? {} : { term }),
    });
    const program = request.program ?? (await defaultShell(environment, shell));
    const kept =
      request.rawBytes === undefined ? {} : { logBytes: checkRawBytes(request.rawBytes) };
    const plain = { program, env, ...place, ...kept };
    const isWanted = request.shellIntegration ?? this.#options.defaults.shellIntegration ?? true;
    const integrated = isWanted ? await integratedSpawn(plain) : null;
    if (integrated === null) return { pty: await this.#host.spawn(plain), nonce: null };
    const { nonce, ...changed } = integrated;
    return { pty: await this.#host.spawn({ ...plain, ...changed }), nonce };
  }
}

/** @throws VtrError INVALID_ARGUMENT */
function endsOf({
  lifetime,
  limits,
}: Pick<SpawnRequest, 'lifetime' | 'limits'>): Pick<SpawnRequest, 'lifetime' | 'limits'> {
  checkLifetime(lifetime ?? {});
  checkLimits(limits ?? {});
  return {
    ...(lifetime === undefined ? {} : { lifetime: { ...lifetime } }),
    ...(limits === undefined ? {} : { limits: { ...limits } }),
  };
}

async function integratedSpawn(
  request: PtySpawnRequest,
): Promise<ReturnType<typeof integrateShell>> {
  const { program, args, env, cwd } = request;
  if (!mayBeShell(program)) return null;
  try {
    // A name may lead to a file of another name, a shell or none.
    return integrateShell({ program: await resolveProgram(program, cwd, env['PATH']), args, env });
  } catch {
    // Whoever starts it will say what is wrong with it.
    return null;
  }
}

/** Null where the request does not say. @throws VtrError INVALID_ARGUMENT */
const scrollbackOf = ({ scrollbackLines }: SpawnRequest): ScrollbackLimits | null =>
  scrollbackLines === undefined ? null : scrollbackLimits(checkScrollbackLines(scrollbackLines));
