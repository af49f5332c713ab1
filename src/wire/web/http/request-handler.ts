import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { homedir, hostname } from 'node:os';
import { pipeline } from 'node:stream/promises';
import { defined } from '#base';
import { asVtrError, callAs, type JsonCalls, webWarningHint } from '#model';
import { idleMsOf, type Share, type Visitor } from '../access/web-access.ts';
import {
  notLoggedIn,
  otherSession,
  type Refusal,
  refusalFor,
  sendRefusal,
  tooMany,
} from './answers.ts';
import { browserText, cookieHeader, refusalOf, visitorOf } from './gate.ts';
import type { Origins } from './origins.ts';
import type { PageFiles } from './page-files.ts';
import {
  answerPush,
  answerQuestion,
  type PushRequest,
  type PushRequestParts,
  pushOffer,
} from './push-requests.ts';

const web = { kind: 'web' };
/** The most bytes of a body; a token has 43. */
const maxBodyBytes = 4096;

/** The user's other coordinators. */
export interface Others {
  /** By name. It changes while they come and go. */
  readonly calls: ReadonlyMap<string, JsonCalls>;
  /** Why some are not known, for people. */
  readonly problems: readonly string[];
  /** Whether they come and go by themselves, so that a page looks for them again. */
  readonly isChanging: boolean;
}

export interface RequestParts extends PushRequestParts {
  readonly files: PageFiles;
  readonly origins: Origins;
  readonly port: number;
  readonly others: () => Promise<Others>;
  /** Returns the colour scheme of the page, or why it cannot be read; null for none. */
  readonly theme: () => Promise<{ readonly text: string } | { readonly problem: string } | null>;
  /** The name of the coordinator, for people. */
  readonly coordinator: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Called with each request that is refused. */
  readonly onRefusal: (refusal: Refusal, request: IncomingMessage) => void;
  /** Returns the other user of this machine who sent a request; null if it is this one, or not known. */
  readonly strangerOf: (request: IncomingMessage) => number | null;
  /** Called with each login. @param uid of another user */
  readonly onLogin: (request: IncomingMessage, uid: number | null) => void;
  /** Called with each request of somebody who is logged in. */
  readonly onKnown: (request: IncomingMessage) => void;
}

type KnownVisitor = NonNullable<ReturnType<typeof visitorOf>>;

type Answer = (request: IncomingMessage, response: ServerResponse) => Promise<Refusal | null>;

interface Route {
  readonly methods: readonly string[];
  readonly answer: Answer;
}

/** Answers the requests that are not upgrades. */
export class RequestHandler {
  readonly #parts: RequestParts;

  constructor(parts: RequestParts) {
    this.#parts = parts;
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.setHeaders(new Headers(this.#parts.headers));
    const refusal = await this.#answer(request, response);
    if (refusal === null) return;
    this.#parts.onRefusal(refusal, request);
    sendRefusal(response, refusal);
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<Refusal | null> {
    const { origins } = this.#parts;
    const { method = '' } = request;
    const path = pathOf(request);
    const isRead = method === 'GET' || method === 'HEAD';
    const access = { request, acts: !isRead, isEntry: isRead && path === '/' };
    const refusal = refusalOf(access, origins);
    if (refusal !== null) return refusal;
    const route = path === null ? null : this.#route(path);
    if (route === null) return { status: 404, message: 'there is nothing at this address' };
    if (route.methods.includes(method)) return route.answer(request, response);
    const allowed = route.methods.join(', ');
    return { status: 405, message: `use ${allowed}`, headers: { Allow: allowed } };
  }

  #route(path: string): Route | null {
    const { files } = this.#parts;
    const reads = ['GET', 'HEAD'];
    if (path === '/login') return { methods: ['POST'], answer: (...each) => this.#login(...each) };
    if (path === '/me')
      return { methods: reads, answer: this.#withLogin((...each) => this.#me(...each)) };
    if (path === '/name')
      return { methods: ['POST'], answer: this.#withLogin((...each) => this.#name(...each)) };
    if (path === '/link')
      return { methods: ['POST'], answer: this.#withLogin((...each) => this.#link(...each)) };
    if (path === '/push') return this.#push(['POST', 'DELETE'], answerPush);
    if (path === '/push/answer') return this.#push(['POST'], answerQuestion);
    if (path === '/healthz') return { methods: reads, answer: healthy };
    if (path === '/ws' || path.startsWith('/alis/')) {
      return { methods: reads, answer: async () => needsUpgrade };
    }
    const id = /^\/recordings\/([A-Za-z0-9._-]+)$/.exec(path)?.[1];
    if (id !== undefined) {
      const answer = this.#withLogin((visitor, _request, response) =>
        this.#recording(visitor, id, response),
      );
      return { methods: reads, answer };
    }
    if (!files.has(path)) return null;
    const answer: Answer = async (request, response) => {
      files.send(path, request, response);
      return null;
    };
    return { methods: reads, answer };
  }

  /** For those who are logged in. */
  #withLogin(
    answer: (visitor: KnownVisitor, ...rest: Parameters<Answer>) => ReturnType<Answer>,
  ): Answer {
    return async (request, response) => {
      const visitor = visitorOf(request, this.#parts);
      if (visitor === null) return notLoggedIn;
      this.#parts.onKnown(request);
      return answer(visitor, request, response);
    };
  }

  #push(
    methods: readonly string[],
    act: (request: PushRequest, parts: PushRequestParts) => Promise<Refusal | null>,
  ): Route {
    const answer = this.#withLogin(async (visitor, request, response) => {
      const { method } = request;
      const body = method === 'DELETE' ? null : await jsonIn(request);
      const refusal = await act({ visitor, method, body }, this.#parts);
      if (refusal !== null) return refusal;
      // A login that gets push messages lasts longer.
      this.#keepCookie(visitor, response);
      response.writeHead(204).end();
      return null;
    });
    return { methods, answer };
  }

  #keepCookie({ login, cookie }: KnownVisitor, response: ServerResponse): void {
    const ms = idleMsOf(login ?? { push: null });
    response.setHeader('Set-Cookie', cookieHeader(cookie, this.#parts.port, ms));
  }

  async #login(request: IncomingMessage, response: ServerResponse): Promise<Refusal | null> {
    const token = await textIn(request, 'token');
    if (token === null) {
      return { status: 400, message: 'the body of a login is {"token": "…"}' };
    }
    const uid = this.#parts.strangerOf(request);
    const visitor = visitorOf(request, this.#parts);
    const result = this.#parts.access.login(token, {
      uid,
      isKnown: visitor?.share === null,
      browser: browserText(request.headers),
    });
    if (result === 'wrong') {
      const message = 'the link is wrong or has expired; vtr web makes a new one';
      return { status: 401, lacks: 'token', message, details: { user: uid ?? undefined } };
    }
    if (result === 'used') {
      const message = `the link was used before; ${webWarningHint}, and run vtr web for a new link`;
      return {
        status: 401,
        lacks: 'token',
        message,
        details: { used: true, user: uid ?? undefined },
      };
    }
    if (result === 'too_many') return tooMany;
    this.#parts.onLogin(request, uid);
    const isSecure = request.headers.origin?.startsWith('https:') ?? false;
    const cookie = { value: result.cookie, isSecure };
    const header = cookieHeader(cookie, this.#parts.port, idleMsOf({ push: null }));
    response.writeHead(204, { 'Set-Cookie': header }).end();
    return null;
  }

  /** Gives the login a name. */
  async #name({ login }: KnownVisitor, request: IncomingMessage, response: ServerResponse) {
    const name = await textIn(request, 'name');
    if (name === null || login === null) return badName;
    try {
      this.#parts.access.nameLogin(login, name);
    } catch (error) {
      return { ...badName, message: asVtrError(error).message };
    }
    response.writeHead(204).end();
    return null;
  }

  /** Makes a link for another browser of the same person. */
  async #link({ share }: KnownVisitor, _request: IncomingMessage, response: ServerResponse) {
    if (share !== null) return otherSession;
    response.setHeader('Content-Type', 'application/json');
    response.setHeader('Cache-Control', 'no-store');
    response.end(JSON.stringify({ token: this.#parts.access.newLink() }));
    return null;
  }

  async #me(
    visitor: KnownVisitor,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<null> {
    const { share, login } = visitor;
    const { coordinator, others, pusher } = this.#parts;
    const scope =
      share === null
        ? { scope: 'all', write: true, ...(await this.#mine(others)) }
        : { scope: 'share', session: await this.#nameOf(share), write: share.write };
    const { id, name, isNamed } = login ?? {};
    const hasOthers = this.#parts.access.logins.length > 1;
    const push = pushOffer(visitor, pusher()) ?? undefined;
    const body = {
      coordinator,
      ...scope,
      ...defined({ push }),
      ...(id !== undefined && { login: { id, name, isNamed, hasOthers } }),
    };
    const theme = await this.#parts.theme();
    const text = JSON.stringify({ ...body, ...defined({ theme: theme ?? undefined }) });
    response.setHeader('Content-Type', 'application/json');
    response.setHeader('Cache-Control', 'no-store');
    this.#keepCookie(visitor, response);
    response.end(request.method === 'HEAD' ? undefined : text);
    return null;
  }

  /** Returns what only a login to everything gets. */
  async #mine(others: RequestParts['others']) {
    const { warnings } = this.#parts.access;
    const mine = { machine: hostname(), home: homedir() };
    return { ...mine, ...othersJson(await others()), ...(warnings.length > 0 && { warnings }) };
  }

  async #recording({ share }: Visitor, id: string, response: ServerResponse) {
    if (share !== null) return otherSession;
    const file = await this.#fileOf(id);
    if (typeof file === 'object') return file;
    const stats = await stat(file).catch(() => null);
    if (!stats?.isFile()) return noRecording(id);
    // One that goes on grows while it is sent.
    const end = Math.max(0, stats.size - 1);
    response.writeHead(200, {
      'Content-Type': 'application/x-asciicast',
      'Content-Length': stats.size,
      'Cache-Control': 'no-store',
    });
    if (response.req.method === 'HEAD' || stats.size === 0) response.end();
    else await pipeline(createReadStream(file, { end }), response);
    return null;
  }

  /** Returns the name of a shared session, which may have another one by now. */
  async #nameOf({ sessionId, session: before }: Share): Promise<string> {
    const { sessions } = this.#parts;
    const info = callAs(web, () => sessions.info({ name: '', id: sessionId }));
    const { name } = await info.catch(() => ({ name: before }));
    return name;
  }

  /** Returns the file of a recording, or why there is none. */
  async #fileOf(id: string): Promise<string | Refusal> {
    try {
      const recordings = await callAs(web, () => this.#parts.sessions.recordings());
      return recordings.find((each) => each.id === id)?.file ?? noRecording(id);
    } catch (error) {
      return refusalFor(error);
    }
  }
}

const othersJson = ({ calls, problems, isChanging }: Others) => ({
  others: [...calls.keys()],
  ...(problems.length > 0 && { problems }),
  ...defined({ isChanging: isChanging || undefined }),
});

const noRecording = (id: string): Refusal => ({
  status: 404,
  message: `there is no recording ${id}`,
});

/** Returns the path of a request, without its query; null if it is not one. */
export function pathOf({ url = '' }: IncomingMessage): string | null {
  return url.startsWith('/') && !url.startsWith('//') ? (url.split(/[?#]/, 1)[0] ?? null) : null;
}

/** Returns the subprotocols that a client offers. */
export const offeredProtocols = ({ headers }: IncomingMessage): string[] =>
  String(headers['sec-websocket-protocol'] ?? '')
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '');

const needsUpgrade: Refusal = {
  status: 426,
  message: 'connect with a WebSocket',
  headers: { Upgrade: 'websocket', Connection: 'Upgrade' },
};

const healthy: Answer = async (_request, response) => {
  response.writeHead(204).end();
  return null;
};

/** Returns null for a body that is too large. */
async function readBody(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > maxBodyBytes) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** Returns the body, which is a JSON object; null if it is none. */
async function jsonIn(request: IncomingMessage): Promise<PushRequest['body']> {
  try {
    const json: unknown = JSON.parse((await readBody(request)) ?? '');
    return typeof json === 'object' ? (json as PushRequest['body']) : null;
  } catch {
    return null;
  }
}

/** Returns a text of the body, which is a JSON object; null if it has none. */
async function textIn(request: IncomingMessage, field: string): Promise<string | null> {
  const text = (await jsonIn(request))?.[field];
  return typeof text === 'string' ? text : null;
}

const badName: Refusal = { status: 400, message: 'the body of a name is {"name": "…"}' };
