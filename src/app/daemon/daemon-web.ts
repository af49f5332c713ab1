import { constants, existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { defined, ignored, quoted } from '#base';
import {
  isWebSaved,
  nameOfPlace,
  readClientConfig,
  readWebState,
  removeFile,
  removeLinkFiles,
  type UserEnvironment,
  writeLinkFile,
  writeWebState,
} from '#config';
import { systemClock } from '#coordinator';
import {
  asVtrError,
  type Coordinator,
  type JsonCalls,
  type SessionRef,
  type SharedLink,
  type ShareRequest,
  VtrError,
  type WebControls,
  type WebLink,
  type WebLogin,
  type WebRequest,
  type WebShare,
  type WebStatus,
} from '#model';
import { loopbackUser, thisUser } from '#trust';
import { OtherCoordinators } from './other-coordinators.ts';

const loadRoom = () => import('#wire/web');

type Room = Awaited<ReturnType<typeof loadRoom>>;
type RefusedRequest = Parameters<
  NonNullable<Parameters<Room['WebServer']['open']>[0]['onRefused']>
>[0];
type SentFile = Parameters<NonNullable<Parameters<Room['WebServer']['open']>[0]['onFile']>>[0];
type WebAccess = InstanceType<Room['WebAccess']>;
type VapidKey = ReturnType<Room['newVapidKey']>;
type PushOptions = NonNullable<Parameters<Room['WebServer']['open']>[0]['push']>;
type WebServer = Awaited<ReturnType<Room['WebServer']['open']>>;

export interface DaemonWebOptions {
  /** The file of a colour scheme for the page; null for none. */
  readonly themeFile: string | null;
  readonly socket: string;
  readonly user: UserEnvironment;
  readonly coordinator: Coordinator;
  /** The calls of pages. */
  readonly calls: () => JsonCalls;
  /** Whether pages offer push messages unless a request says otherwise, and by which services of the user's own. */
  readonly push: { readonly isOffered: boolean; readonly services: readonly string[] };
  readonly log: (line: string) => void;
  readonly onFault: (error: unknown) => void;
  /** Called with requests that are refused for the safety of the sessions. */
  readonly onRefused: (refused: RefusedRequest) => void;
  /** Called with each file that a page has sent to the machine of a session. */
  readonly onFile: (file: SentFile) => void;
  /** Called with each login. @param uid of another user of this machine */
  readonly onLogin: (address: string | undefined, uid: number | null) => void;
  /** Called when a login begins or ends to get push messages. @param host of its push service; null for the end */
  readonly onPush: (login: string, host: string | null) => void;
}

/** What the next daemon continues with. */
interface SavedWeb {
  /** How the page is served; null if it is not. */
  readonly served: (WebRequest & { readonly port: number }) | null;
  readonly access: WebAccess['saved'];
  /** By which push services know this daemon: browsers have subscribed with it. Absent if none could. */
  readonly vapid?: VapidKey;
}

/** Where the page is served unless another address is requested. */
const defaultHost = '127.0.0.1';
/** The most bytes of a colour scheme. */
const maxThemeBytes = 64 * 1024;
/** The most bytes of a certificate with its chain, or of a key. */
const maxPemBytes = 1024 * 1024;

/** Loads the room of the page if {@link DaemonWeb.restore} is to serve it, while the daemon waits for other things. */
export function loadSoon(socket: string): void {
  if (isWebSaved(socket)) ignored(loadRoom(), 'it is loaded again when it is used');
}

/** Next to the daemon's bundle, or from its compiled or its source file. */
const pagePlaces = ['./web/', '../../web/', '../../../dist/web/'];

/** The web page of a daemon. Its room is loaded when it is first needed. */
export class DaemonWeb implements WebControls {
  readonly #options: DaemonWebOptions;
  readonly #others: OtherCoordinators;
  #access: WebAccess | null = null;
  #server: WebServer | null = null;
  #served: SavedWeb['served'] = null;
  #vapid: VapidKey | null = null;
  /** Starts and stops take place one after the other. */
  #last: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(options: DaemonWebOptions) {
    this.#options = options;
    this.#others = new OtherCoordinators(options);
  }

  /** Serves the page again if the daemon before did. Never fails. */
  async restore(): Promise<void> {
    try {
      removeLinkFiles(this.#options.socket);
      const saved = readWebState(this.#options.socket) as SavedWeb | null;
      if (saved === null) return;
      await this.#inTurn(async () => {
        const room = await loadRoom();
        this.#access = this.#newAccess(room, saved.access);
        this.#vapid = saved.vapid ?? null;
        if (saved.served !== null) await this.#open(room, saved.served);
      });
    } catch (error) {
      this.#options.log(`warning: the web page is not served: ${asVtrError(error).message}`);
    }
  }

  start({ openFile = false, ...request }: WebRequest): Promise<WebLink> {
    return this.#inTurn(async () => {
      const server = await this.#started(request);
      const { port } = server;
      if (!openFile) return { url: server.newLink(), port };
      let file: string | null = null;
      const url = server.newLink(() => file !== null && this.#removeLinkFile(file));
      file = writeLinkFile(this.#options.socket, url);
      return { url, port, file };
    });
  }

  #removeLinkFile(file: string): void {
    try {
      removeFile(file);
    } catch (error) {
      this.#options.log(`warning: ${(error as Error).message}`);
    }
  }

  stop(): Promise<void> {
    return this.#inTurn(async () => {
      const server = this.#server;
      this.#server = null;
      this.#served = null;
      this.#access?.endLogins();
      this.#save();
      await server?.close();
    });
  }

  describe(): WebStatus {
    const server = this.#server;
    const shares = this.#access?.shares.length ?? 0;
    const warnings = this.#access?.warnings ?? [];
    const logins = this.#access?.logins.length ?? 0;
    if (server === null) return { port: null, origin: '', viewers: 0, shares, logins, warnings };
    return {
      port: server.port,
      origin: server.origin,
      viewers: server.viewers(),
      shares,
      logins,
      warnings,
    };
  }

  logins(): readonly WebLogin[] {
    return (this.#access?.logins ?? []).map((login) => {
      const { id, name, isNamed, shareId: share, sinceMs, usedMs } = login;
      const pages = this.#server?.pagesOf(login) ?? 0;
      const notified = login.push !== null;
      return { id, name, isNamed, share, sinceMs, usedMs, pages, notified };
    });
  }

  endLogin(id: string): void {
    if (this.#access === null) {
      const message = `there is no login ${quoted(id)}`;
      throw new VtrError('LOGIN_NOT_FOUND', message, { details: { id } });
    }
    const login = this.#access.endLogin(id);
    this.#server?.endLogin(login);
  }

  async share(session: SessionRef, request: ShareRequest): Promise<SharedLink> {
    const { coordinator } = this.#options;
    const { id, name } = await coordinator.info(session);
    const { topLine } = await coordinator.readLines({ id, name }, { to: 0 });
    const [newest] = (await coordinator.commands({ id, name }, { last: 1 })).commands;
    const begin = { line: topLine, command: newest?.number ?? 0 };
    return this.#inTurn(async () => {
      this.#access ??= this.#newAccess(await loadRoom());
      const access = this.#access;
      const { share, secret } = access.share({ id, name, begin }, request);
      const server = await this.#started({}).catch((error) => {
        access.unshare(share.id);
        throw error;
      });
      const url = share.alis ? server.streamOf(share, secret) : server.linkOf(secret);
      return { id: share.id, url, untilMs: share.untilMs };
    });
  }

  async shares(): Promise<readonly WebShare[]> {
    const shares = this.#access?.shares ?? [];
    const sessions = shares.length === 0 ? [] : await this.#options.coordinator.list();
    const names = new Map(sessions.map(({ id, name }) => [id, name]));
    return shares.map(({ hash: _hash, begin: _begin, ...share }) => ({
      ...share,
      session: names.get(share.sessionId) ?? share.session,
      viewers: this.#server?.viewers(share.id) ?? 0,
    }));
  }

  unshare(id: string): void {
    if (this.#access === null) {
      throw new VtrError('SHARE_NOT_FOUND', `there is no share ${quoted(id)}`, {
        details: { id },
      });
    }
    this.#access.unshare(id);
    this.#server?.endShare(id);
  }

  /** @param isRestart whether the next daemon serves the page again */
  close(isRestart: boolean): Promise<void> {
    return this.#inTurn(async () => {
      if (isRestart) this.#save();
      else this.#write(null);
      this.#access?.close();
      this.#isClosed = true;
      await this.#server?.close(isRestart);
    });
  }

  /** @throws VtrError */
  async #started(request: WebRequest): Promise<WebServer> {
    if (this.#isClosed) throw new VtrError('UNAVAILABLE', 'the coordinator is shutting down');
    if (this.#server !== null && this.#served !== null) {
      const { push, ...same } = request;
      checkSame(same, this.#served);
      if (push === true && this.#served.push !== true) {
        this.#server.offerPush(await this.#pushOptions(await loadRoom()));
        this.#served = { ...this.#served, push };
        this.#save();
      }
      return this.#server;
    }
    const room = await loadRoom();
    this.#access ??= this.#newAccess(room);
    return this.#open(room, request);
  }

  async #open(room: Room, request: WebRequest): Promise<WebServer> {
    const { socket, calls, coordinator: sessions, onFault } = this.#options;
    const { onRefused, onLogin, onFile } = this.#options;
    const { port, host = defaultHost, tls, behindProxy } = room.checkWebRequest(request);
    const { push = this.#options.push.isOffered } = request;
    const server = await room.WebServer.open({
      theme: () => readTheme(this.#options.themeFile),
      calls: calls(),
      sessions,
      others: () => this.#others.look(),
      access: this.#access as WebAccess,
      pageDirectory: pageDirectory(),
      coordinator: nameOfPlace(socket),
      host,
      clock: systemClock,
      onFault,
      onRefused,
      onLogin,
      onFile,
      userOf: loopbackUser,
      owner: thisUser().uid,
      ...defined({ port }),
      ...(tls === undefined ? {} : { tls: await readTls(tls) }),
      ...defined({ behindProxy }),
      ...(push && { push: await this.#pushOptions(room) }),
    });
    this.#server = server;
    this.#served = { ...request, port: server.port };
    this.#save();
    return server;
  }

  /** The pace is that of `vtr notify`. */
  async #pushOptions(room: Room): Promise<PushOptions> {
    const { user, log, push } = this.#options;
    const { quiet, perMinute } = await readClientConfig(user).then(
      ({ notify }) => notify,
      (error) => {
        log(`warning: push messages: ${asVtrError(error).message}`);
        return { quiet: null, perMinute: 6 };
      },
    );
    this.#vapid ??= room.newVapidKey();
    const onFailure = (message: string) => log(`warning: push messages: ${message}`);
    const listeners = { onChange: this.#options.onPush, onFailure };
    return { key: this.#vapid, services: push.services, quiet, perMinute, ...listeners };
  }

  #newAccess(room: Room, saved?: WebAccess['saved']): WebAccess {
    const onChange = () => this.#save();
    return new room.WebAccess({ clock: systemClock, onChange, ...defined({ saved }) });
  }

  #save(): void {
    if (this.#access === null || this.#isClosed) return;
    const vapid = this.#vapid ?? undefined;
    const state = { served: this.#served, access: this.#access.saved, ...defined({ vapid }) };
    const isEmpty = state.served === null && state.access.shares.length === 0;
    this.#write(isEmpty ? null : state);
  }

  /** Never fails. */
  #write(state: SavedWeb | null): void {
    try {
      writeWebState(this.#options.socket, state);
    } catch (error) {
      this.#options.log(`warning: the state of the web page: ${(error as Error).message}`);
    }
  }

  #inTurn<T>(act: () => Promise<T>): Promise<T> {
    const done = this.#last.then(act);
    this.#last = ignored(done, 'the caller gets the error');
    return done;
  }
}

/** @throws VtrError INVALID_ARGUMENT if the page is served otherwise */
function checkSame(request: WebRequest, served: WebRequest & { readonly port: number }): void {
  const now = { host: defaultHost, ...served };
  const ownRequest = { ...request, ...(request.port === 0 ? { port: served.port } : {}) };
  const isSame = Object.entries(ownRequest).every(
    ([name, value]) => JSON.stringify(value) === JSON.stringify(Reflect.get(now, name)),
  );
  if (isSame) return;
  const message = `the page is served at port ${served.port} with other settings; end that with vtr web stop`;
  throw new VtrError('INVALID_ARGUMENT', message);
}

/** @throws VtrError INVALID_ARGUMENT */
async function readTls({ certFile, keyFile }: NonNullable<WebRequest['tls']>) {
  const read = async (file: string) => {
    try {
      return await readRegularFile(file, maxPemBytes);
    } catch (error) {
      const message = `cannot read ${file}: ${(error as Error).message}`;
      throw new VtrError('INVALID_ARGUMENT', message, { cause: error });
    }
  };
  return { cert: await read(certFile), key: await read(keyFile) };
}

/** A client names the file: a pipe would keep the daemon waiting, and a device may have no end. */
async function readRegularFile(path: string, maxBytes: number): Promise<Buffer> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  try {
    const about = await file.stat();
    if (!about.isFile()) throw new Error('it is not a regular file');
    if (about.size > maxBytes) throw new Error(`it has more than ${maxBytes} bytes`);
    return await file.readFile();
  } finally {
    await file.close();
  }
}

/** Returns the text of a colour scheme, or why there is none, as the page tells it; null for no file. */
async function readTheme(
  file: string | null,
): Promise<{ text: string } | { problem: string } | null> {
  if (file === null) return null;
  try {
    return { text: (await readRegularFile(file, maxThemeBytes)).toString() };
  } catch (error) {
    return { problem: `web_theme: cannot read ${file}: ${(error as Error).message}` };
  }
}

function pageDirectory(): string {
  const paths = pagePlaces.map((place) => fileURLToPath(new URL(place, import.meta.url)));
  return paths.find((path) => existsSync(`${path}index.html`)) ?? (paths[0] as string);
}
