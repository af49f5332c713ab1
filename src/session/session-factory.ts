import type { Clock } from '#base';
import {
  checkFeeder,
  checkLabels,
  checkLifetime,
  checkLimits,
  checkRawBytes,
  checkScrollbackLines,
  checkSize,
  defaultSize,
  type EndOptions,
  type PublishRequest,
  type Size,
  type SpawnRequest,
} from '#model';
import {
  buildEnvironment,
  createPtyHost,
  defaultShell,
  FedPty,
  type ProcessEntry,
  type Pty,
  type PtyHost,
  type PtySpawnRequest,
  resolveProgram,
} from '#pty';
import { integrateShell, type ShellProof } from '#shell';
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

/** The defaults of sessions, for options that a request leaves out. */
export interface SessionDefaults {
  /** The working directory of programs; default this process's. */
  readonly cwd?: string;
  /** The program; default the user's SHELL, else bash, else sh. */
  readonly shell?: string;
  readonly size?: Size;
  /** TERM; default `xterm-256color`. */
  readonly term?: string;
  /** Default 10,000 lines and 32 MiB. */
  readonly scrollback?: ScrollbackLimits;
  /** The colours reported to programs that query them; default xterm's. */
  readonly colors?: TerminalColors;
  /** The size of a cell reported to programs, in pixels; default 10 by 20. */
  readonly cellPixels?: CellPixels;
  /** Whether programs may set the clipboard (OSC 52); default false. */
  readonly allowClipboard?: boolean;
  /** Whether terminals start with grapheme clusters (mode 2027) on; default true. */
  readonly graphemeClusters?: boolean;
  /** Whether interactive shells are started with shell integration; default true. */
  readonly shellIntegration?: boolean;
  /** The environment that programs inherit; default this process's. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

type PtyOptions = Omit<PtySpawnRequest, 'program' | 'env'>;

interface Started {
  readonly pty: Pty;
  readonly shell: ShellProof;
}

export interface SessionFactoryOptions {
  readonly clock: Clock;
  readonly defaults: SessionDefaults;
  /** Called with the error of an observer that threw, and with internal errors. */
  readonly onFault: (error: unknown) => void;
}

/** Creates sessions, in pseudo-terminals of this process. */
export class SessionFactory {
  readonly #options: SessionFactoryOptions;
  readonly #host: PtyHost;
  /** These have no host, because they have no processes. */
  readonly #fed = new Set<FedPty>();

  /** @throws VtrError SPAWN_FAILED if this platform is not supported. */
  constructor(options: SessionFactoryOptions) {
    this.#options = options;
    this.#host = createPtyHost({ onListenerError: options.onFault });
  }

  /**
   * Starts a program in a new session, which has its output from the first byte on.
   *
   * @param identity a valid name, and an id that was never used
   * @throws VtrError as `Coordinator.spawn`
   */
  async spawn(request: SpawnRequest, identity: { name: string; id: string }): Promise<Session> {
    const { defaults, clock, onFault } = this.#options;
    // Copies, because the caller may change the objects during the call.
    const size = { ...checkSize(request.size ?? defaults.size ?? defaultSize) };
    const args = [...(request.args ?? [])];
    const ends = optionsOf(request);
    const scrollback = scrollbackOf(request);
    const cwd = this.#cwdOf(request);
    const options = { args, size, cwd, marker: identity };
    const { pty, shell } = await this.#startProgram(request, options);
    const terminal = this.#newTerminal(size, scrollback);
    const facts = { ...identity, args, cwd, createdAtMs: clock.wallMs(), ...ends };
    return new Session({ facts, pty, terminal, clock, onFault, shell });
  }

  /**
   * Creates a session without a program, and its feeder.
   *
   * @param identity a valid name, and an id that was never used
   * @throws VtrError INVALID_SIZE, INVALID_ARGUMENT
   */
  publish(request: PublishRequest, identity: { name: string; id: string }): FedSession {
    const { defaults, clock, onFault } = this.#options;
    const { program = '', args = [], cwd = '', fromPipe = false } = request;
    const fedBy = checkFeeder(request.by);
    const size = { ...checkSize(request.size ?? defaults.size ?? defaultSize) };
    const pty = new FedPty({ program, by: fedBy, fromPipe, onListenerError: onFault });
    const terminal = this.#newTerminal(size);
    const ends = optionsOf(request);
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

  /** See {@link PtyHost.listProcesses}. */
  listProcesses(): Promise<readonly ProcessEntry[]> {
    return this.#host.listProcesses();
  }

  /**
   * Ends every program and its descendants. @throws VtrError PTY_ERROR that names the processes
   * left
   */
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

  /** Returns the absolute path of the program that a request starts. @throws VtrError as `spawn` */
  async programOf(request: SpawnRequest): Promise<string> {
    const cwd = this.#cwdOf(request);
    const env = this.#environmentOf(request, cwd);
    return resolveProgram(await this.#programNamed(request), cwd, env['PATH']);
  }

  async #startProgram(request: SpawnRequest, options: PtyOptions): Promise<Started> {
    const env = this.#environmentOf(request, options.cwd);
    const program = await this.#programNamed(request);
    const kept =
      request.rawBytes === undefined ? {} : { logBytes: checkRawBytes(request.rawBytes) };
    const plain = { program, env, ...options, ...kept };
    const isWanted = request.shellIntegration ?? this.#options.defaults.shellIntegration ?? true;
    const integrated = isWanted ? await integratedSpawn(plain) : notWanted;
    if ('reason' in integrated) return { pty: await this.#host.spawn(plain), shell: integrated };
    const { nonce, ...changed } = integrated;
    const all = { ...plain, args: changed.args, env: { ...env, ...changed.env } };
    return { pty: await this.#host.spawn(all), shell: { nonce } };
  }

  #cwdOf({ cwd }: SpawnRequest): string {
    return cwd ?? this.#options.defaults.cwd ?? process.cwd();
  }

  #programNamed({ program }: SpawnRequest): Promise<string> | string {
    const { shell, environment = process.env } = this.#options.defaults;
    return program ?? defaultShell(environment, shell);
  }

  #environmentOf(request: SpawnRequest, cwd: string): Record<string, string> {
    const { term, environment = process.env } = this.#options.defaults;
    return buildEnvironment({
      mode: request.environment ?? 'inherit',
      base: environment,
      cwd,
      ...(request.env === undefined ? {} : { explicit: request.env }),
      ...(term === undefined ? {} : { term }),
    });
  }
}

type CopiedOptions = Pick<SpawnRequest, 'lifetime' | 'limits' | 'labels'>;

/** Returns a copy of the options that the session's info has. @throws VtrError INVALID_ARGUMENT */
function optionsOf({ lifetime, limits, labels }: CopiedOptions): CopiedOptions {
  checkLifetime(lifetime ?? {});
  checkLimits(limits ?? {});
  checkLabels(labels ?? {});
  return {
    ...(lifetime === undefined ? {} : { lifetime: { ...lifetime } }),
    ...(limits === undefined ? {} : { limits: { ...limits } }),
    ...(labels === undefined ? {} : { labels: { ...labels } }),
  };
}

const notWanted = { reason: 'it is turned off' };

function integratedSpawn({
  program,
  args,
  env,
  cwd,
}: PtySpawnRequest): ReturnType<typeof integrateShell> {
  return integrateShell({ program, args, env }, (name, path) => resolveProgram(name, cwd, path));
}

/** Returns null if the request has no limit. @throws VtrError INVALID_ARGUMENT */
const scrollbackOf = ({ scrollbackLines }: SpawnRequest): ScrollbackLimits | null =>
  scrollbackLines === undefined ? null : scrollbackLimits(checkScrollbackLines(scrollbackLines));
