import { randomBytes } from 'node:crypto';
import { type Clock, defined } from '#base';
import {
  type CallerEnvironment,
  type CellPixels,
  callerEnvironment,
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
  reportVariable,
  type SessionEnvironment,
  type Size,
  type SpawnRequest,
  type Variables,
  VtrError,
} from '#model';
import {
  type AdoptedPty,
  buildEnvironment,
  defaultShell,
  FedPty,
  loginEnvironment,
  type ProcessEntry,
  type Pty,
  type PtyHost,
  type PtySpawnRequest,
  resolveProgram,
} from '#pty';
import { integrateShell, removeKeyFile, removeLeftKeyFiles } from '#shell';
import { bootId } from '#trust';
import { defaultScrollback, type ScrollbackLimits, Terminal, type TerminalColors } from '#vt';
import type { LineArchive, LineArchives } from './archive/archived-terminal.ts';
import { FedSession } from './fed-session.ts';
import { contentHash } from './input/recorded-input.ts';
import { KnownSecrets } from './known-secrets.ts';
import { linesAbove, type SessionBefore, terminalBelow } from './lines-above.ts';
import { LeftSession, type LeftSessionOptions } from './saving/left-session.ts';
import {
  type CoordinatorFacts,
  completeFacts,
  decodeFacts,
  encodeFacts,
  newCoordinatorFacts,
  type SessionFacts,
  type TerminalFacts,
} from './saving/session-facts.ts';
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
  /**
   * The environment of callers that give none; default this process's. `login`: they may be elsewhere, and
   * their programs have that of a login.
   */
  readonly environment?: Variables | 'login';
}

/** The length of a key of AES-256. */
const archiveKeyBytes = 32;
/** The length of a key for reports, which cannot be guessed. */
const reportKeyBytes = 16;

type PtyOptions = Omit<PtySpawnRequest, 'program' | 'env' | 'facts'>;

interface Started {
  readonly pty: Pty;
  readonly facts: SessionFacts;
}

/** The environment of a program, and what is known about it. */
interface Surroundings {
  readonly env: Readonly<Record<string, string>>;
  readonly startedWith: SessionEnvironment;
}

export interface SessionFactoryOptions {
  /** The owner of the pseudo-terminals; the factory closes it. */
  readonly ptyHost: PtyHost;
  readonly clock: Clock;
  readonly defaults: SessionDefaults;
  /** Called with the error of an observer that threw, and with internal errors. */
  readonly onFault: (error: unknown) => void;
  /** Returns the values of variables that are secrets; see {@link Session.secrets}. Default: none are. */
  readonly secretsOf?: (variables: Variables) => readonly string[];
  /** For the lines that scrollbacks drop. Default: they are lost. */
  readonly archives?: LineArchives;
  /** The path of the socket at which programs report what they do. Default: there is none. */
  readonly reportSocket?: string;
}

/** Creates sessions in the pseudo-terminals of a host. */
export class SessionFactory {
  readonly #options: SessionFactoryOptions;
  readonly #host: PtyHost;
  /** These have no host, because they have no processes. */
  readonly #fed = new Set<FedPty>();

  constructor(options: SessionFactoryOptions) {
    this.#options = options;
    this.#host = options.ptyHost;
  }

  /**
   * Starts a program in a new session, which has its output from the first byte on.
   *
   * @param identity a valid name, and an id that was never used
   * @param before a session that it continues
   * @throws VtrError as `Coordinator.spawn`
   */
  async spawn(
    request: SpawnRequest,
    identity: { name: string; id: string },
    coordinator: CoordinatorFacts = newCoordinatorFacts,
    before: SessionBefore | null = null,
  ): Promise<Session> {
    const { clock, onFault } = this.#options;
    // Copies, because the caller may change the objects during the call.
    const size = { ...checkSize(request.size ?? this.#options.defaults.size ?? defaultSize) };
    const args = [...(request.args ?? [])];
    const options = { args, size, cwd: this.#cwdOf(request), marker: identity };
    const base = this.#factsOf(request, options);
    const envNames = [...new Set([...base.envNames, ...(before?.envNames ?? [])])];
    const spawned = contentOfSpawn(request, before);
    const startLine = before?.lines.to ?? 0;
    const about = { envNames, coordinator, startLine };
    const reportKey = this.#newReportKey();
    const full = { ...base, ...about, ...identity, ...spawned, ...this.#newKey(), ...reportKey };
    const { secretsOf = () => [] } = this.#options;
    const surroundings = this.#withReports(
      await this.#surroundings(request, options.cwd),
      identity,
      reportKey,
    );
    const envSecrets = secretsOf(surroundings.env);
    const secrets = [...new Set([...envSecrets, ...(before?.secrets.variables ?? [])])];
    const all = { ...options, secrets };
    const shown = { ...base.terminal, size };
    let ready: Terminal | null = null;
    const terminalNow = () => {
      ready ??= before === null ? new Terminal(shown) : terminalBelow(before.lines, shown);
      return ready;
    };
    // A host in another process has the request by then, and starts the program meanwhile.
    const soon = clock.afterPendingIo(terminalNow);
    const starting = this.#startProgram(request, surroundings, all, full);
    const { pty, facts } = await starting.finally(() => soon.dispose());
    const terminal = terminalNow();
    const knownSecrets = new KnownSecrets(secrets, before?.secrets.learned);
    const archive = this.#archiveOf(facts);
    return new Session({ facts, pty, terminal, clock, onFault, secrets: knownSecrets, archive });
  }

  #newKey(): Pick<SessionFacts, 'archiveKey'> {
    if (this.#options.archives === undefined) return {};
    return { archiveKey: randomBytes(archiveKeyBytes).toString('base64') };
  }

  #newReportKey(): Pick<SessionFacts, 'reportKey'> {
    if (this.#options.reportSocket === undefined) return {};
    return { reportKey: randomBytes(reportKeyBytes).toString('base64url') };
  }

  /** Adds where, and with which key, the programs of a session report. */
  #withReports(
    { env, startedWith }: Surroundings,
    { id }: { readonly id: string },
    { reportKey }: Pick<SessionFacts, 'reportKey'>,
  ): Surroundings {
    const { reportSocket } = this.#options;
    if (reportSocket === undefined || reportKey === undefined) return { env, startedWith };
    const address = `${reportSocket}#${id}.${reportKey}`;
    return { env: { ...env, [reportVariable]: address }, startedWith };
  }

  #archiveOf({ id, archiveKey }: SessionFacts): LineArchive | null {
    const { archives } = this.#options;
    if (archives === undefined || archiveKey === undefined) return null;
    return archives.open(id, Buffer.from(archiveKey, 'base64'), false);
  }

  /**
   * Returns what a session has of one that has ended, and that it continues; for {@link spawn}.
   *
   * @param note a line below the lines of the ended session
   */
  before(ended: Session, note: string): SessionBefore {
    const { envNames, terminal } = ended.facts;
    const { secrets } = ended;
    return { envNames, secrets, lines: linesAbove(ended.view.terminal, terminal, note) };
  }

  /**
   * Returns the sessions that another coordinator left, oldest first.
   *
   * @throws VtrError UNAVAILABLE
   */
  async adopt(): Promise<readonly LeftSession[]> {
    const adopted = await this.#host.adopt();
    // Reads directories, which the start need not wait for.
    this.#options.clock.afterPendingIo(() => removeLeftKeyFiles());
    const left = adopted.map((each) => new LeftSession(each, this.#options));
    return left.sort((a, b) => a.coordinator.order - b.coordinator.order);
  }

  /**
   * Returns a session whose host is lost; null if its facts are damaged.
   *
   * @param lost how it ended, and whether changes are missing in what was saved of it
   */
  left(
    adopted: AdoptedPty,
    lost: Required<Pick<LeftSessionOptions, 'endedBy' | 'isPartial'>>,
  ): LeftSession | null {
    if (decodeFacts(adopted.saved.facts) === null) return null;
    return new LeftSession(adopted, { ...this.#options, ...lost });
  }

  /** Leaves all programs to the next coordinator. @throws VtrError UNAVAILABLE */
  async detach(): Promise<void> {
    await this.#host.detach();
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
    const facts = completeFacts({
      ...identity,
      program,
      args: [...args],
      cwd,
      fedBy,
      size,
      terminal: this.#terminalFacts(),
      createdAtMs: clock.wallMs(),
      ...optionsOf(request),
      ...this.#newKey(),
    });
    const terminal = new Terminal({ ...facts.terminal, size });
    const archive = this.#archiveOf(facts);
    const session = new Session({ facts, pty, terminal, clock, onFault, archive });
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

  /** Returns what is known before the program is started. @throws VtrError INVALID_ARGUMENT */
  #factsOf(request: SpawnRequest, options: PtyOptions): Omit<SessionFacts, 'name' | 'id'> {
    const { environment = 'inherit', env = {}, persist = true } = request;
    const { lease, inputId: spawnId, rawBytes } = request;
    const { term, shellIntegration = true } = this.#options.defaults;
    const { args, cwd, size } = options;
    return completeFacts({
      name: '',
      id: '',
      args,
      cwd,
      size,
      startSize: size,
      environment,
      persist,
      envNames: Object.keys(env),
      createdAtMs: this.#options.clock.wallMs(),
      shellIntegration: request.shellIntegration ?? shellIntegration,
      terminal: this.#terminalFacts(request),
      bootId: bootId(),
      ...optionsOf(request),
      ...defined({ lease, spawnId }),
      ...(rawBytes === undefined ? {} : { rawBytes: checkRawBytes(rawBytes) }),
      ...defined({ term }),
    });
  }

  #terminalFacts(request: SpawnRequest = {}): TerminalFacts {
    const { defaults } = this.#options;
    const { scrollback = defaultScrollback, colors, cellPixels } = defaults;
    const { allowClipboard = false, graphemeClusters = true } = defaults;
    return {
      scrollback: scrollbackOf(request) ?? scrollback,
      allowClipboard,
      graphemeClusters,
      ...defined({ colors, cellPixels }),
    };
  }

  /** Returns the absolute path of the program that a request starts. @throws VtrError as `spawn` */
  async programOf(request: SpawnRequest): Promise<string> {
    const cwd = this.#cwdOf(request);
    const { env } = await this.#surroundings(request, cwd);
    return resolveProgram(await this.#programNamed(request, env), cwd, env['PATH']);
  }

  async #startProgram(
    request: SpawnRequest,
    { env, startedWith }: Surroundings,
    options: PtyOptions,
    facts: SessionFacts,
  ): Promise<Started> {
    const program = await this.#programNamed(request, env);
    if (request.starts !== undefined) {
      await resolveProgram(request.starts, this.#cwdOf(request), env['PATH']);
    }
    const allFacts = { ...facts, startedWith };
    const { rawBytes, shellIntegration } = allFacts;
    const plain = { program, env, ...options, ...defined({ logBytes: rawBytes || undefined }) };
    const integrated = shellIntegration ? await integratedSpawn(plain) : notWanted;
    if ('reason' in integrated)
      return this.#start(plain, { ...allFacts, program, shell: integrated });
    const { proof: shell, ...changed } = integrated;
    const all = { ...plain, args: changed.args, env: { ...env, ...changed.env } };
    try {
      return await this.#start(all, { ...allFacts, program, shell });
    } catch (error) {
      removeKeyFile(shell);
      throw error;
    }
  }

  /** The host has the facts before the program runs, so that no coordinator finds it without. */
  async #start(request: PtySpawnRequest, facts: SessionFacts): Promise<Started> {
    return { pty: await this.#host.spawn({ ...request, facts: encodeFacts(facts) }), facts };
  }

  #cwdOf({ cwd }: SpawnRequest): string {
    return cwd ?? this.#options.defaults.cwd ?? process.cwd();
  }

  #programNamed({ program }: SpawnRequest, env: Variables): Promise<string> | string {
    return program ?? defaultShell(env, this.#options.defaults.shell);
  }

  async #surroundings(request: SpawnRequest, cwd: string): Promise<Surroundings> {
    const { env: explicit = {} } = request;
    const { term } = this.#options.defaults;
    const { kind, variables, notPassed } = await this.#inherited(request);
    const isMinimal = request.environment === 'minimal';
    const env = buildEnvironment({
      isMinimal,
      base: variables,
      cwd,
      explicit,
      ...defined({ term }),
    });
    const missing = isMinimal ? [] : notPassed.filter((name) => explicit[name] === undefined);
    return { env, startedWith: { kind: isMinimal ? 'minimal' : kind, notPassed: missing } };
  }

  /** @throws VtrError INVALID_ARGUMENT */
  async #inherited(
    request: SpawnRequest,
  ): Promise<CallerEnvironment & { kind: 'caller' | 'login' }> {
    const { environment: mode = 'inherit', caller } = request;
    const { environment: own = process.env } = this.#options.defaults;
    if (mode !== 'login' && caller !== undefined) return { kind: 'caller', ...caller };
    if (mode !== 'login' && own !== 'login') return { kind: 'caller', ...callerEnvironment(own) };
    if (mode !== 'caller') return { kind: 'login', ...callerEnvironment(await loginEnvironment()) };
    const message = `the environment of a caller on another machine cannot be used; pass variables with env`;
    throw new VtrError('INVALID_ARGUMENT', message);
  }
}

type CopiedOptions = Pick<SpawnRequest, 'lifetime' | 'limits' | 'labels'>;

/** Returns a copy of the options that the session's info has. @throws VtrError INVALID_ARGUMENT */
function optionsOf({ lifetime, limits, labels }: CopiedOptions): CopiedOptions {
  checkLifetime(lifetime ?? {});
  checkLimits(limits ?? {});
  checkLabels(labels ?? {});
  return defined({
    lifetime: lifetime && { ...lifetime },
    limits: limits && { ...limits },
    labels: labels && { ...labels },
  });
}

/**
 * Returns a hash of what a request with an id asks for, without its wait: a repeat may wait for a shorter time,
 * and another caller, with another environment, may repeat it.
 */
export const spawnContent = ({
  inputId: _id,
  wait: _wait,
  by: _by,
  caller: _caller,
  ...request
}: SpawnRequest) => contentHash('spawn', request);

/** The request that starts the program of an ended session again depends on that session. */
const contentOfSpawn = (
  request: SpawnRequest,
  before: SessionBefore | null,
): Pick<SessionFacts, 'spawnContent'> =>
  request.inputId === undefined || before !== null ? {} : { spawnContent: spawnContent(request) };

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

/** Returns the limits for `maxLines`: at least the default bytes, and no fewer bytes per line. */
export function scrollbackLimits(maxLines: number): ScrollbackLimits {
  const { maxBytes, maxLines: usualLines } = defaultScrollback;
  return { maxLines, maxBytes: Math.max(maxBytes, Math.ceil((maxLines * maxBytes) / usualLines)) };
}
