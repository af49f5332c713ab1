import { getSystemErrorName } from 'node:util';

/** The last version of Node whose pipes were tried. */
const lastNode = 24;

/** A request to the system; Node calls `oncomplete` with 0, or the negative number of an error. */
interface Request {
  oncomplete: (status: number) => void;
}

/** A connection as `node:net` uses it itself. All functions return 0, or the negative number of an error. */
interface Pipe {
  onread: (bytes: ArrayBuffer | undefined) => void;
  connect(request: Request, path: string): number;
  readStart(): number;
  writeUtf8String(request: Request, text: string): number;
  writeBuffer(request: Request, bytes: Uint8Array): number;
  close(): void;
}

interface Pipes {
  readonly Pipe: new (kind: number) => Pipe;
  readonly PipeConnectWrap: new () => Request;
  readonly constants: { readonly SOCKET: number };
}

interface Streams {
  readonly WriteWrap: new () => Request;
  readonly streamBaseState: ArrayLike<number>;
  readonly kReadBytesOrError: number;
  readonly kArrayBufferOffset: number;
}

/**
 * Returns Node's pipes and streams, which are not a public interface; null where they are not known, or where
 * Node would warn of their use.
 */
function nodePipes(): { readonly pipes: Pipes; readonly streams: Streams } | null {
  const { env, execArgv, versions } = process;
  const { binding } = process as { binding?: (name: string) => unknown };
  if (Number.parseInt(versions.node, 10) > lastNode || env['NODE_PENDING_DEPRECATION']) return null;
  if ([env['NODE_OPTIONS'] ?? '', ...execArgv].some((each) => each.includes('pending')))
    return null;
  try {
    const pipes = binding?.('pipe_wrap') as Pipes;
    const streams = binding?.('stream_wrap') as Streams;
    return typeof pipes.Pipe === 'function' && typeof streams.kReadBytesOrError === 'number'
      ? { pipes, streams }
      : null;
  } catch {
    // Node's permission model allows none.
    return null;
  }
}

/**
 * Sends a request to a socket without `node:net`, whose modules take a quarter of the start of Node.js to load
 * (docs/adr/0022-command.md). Whose socket it is, is not checked.
 *
 * @param notConnected called if there is no connection: nothing was sent
 * @returns null if this Node has no pipes for it
 */
export function exchangeOverPipe(
  path: string,
  { request, timeoutMs, received, ended, failed, timedOut }: Exchange,
  notConnected: () => void,
): Connection | null {
  const node = nodePipes();
  if (node === null) return null;
  const { pipes, streams } = node;
  const { streamBaseState: state, kReadBytesOrError, kArrayBufferOffset } = streams;
  const pipe = new pipes.Pipe(pipes.constants.SOCKET);
  const idle = setTimeout(timedOut, timeoutMs);
  let isClosed = false;
  const close = () => {
    if (isClosed) return;
    isClosed = true;
    clearTimeout(idle);
    pipe.close();
  };
  const fail = (call: string, status: number) => {
    if (status < 0 && !isClosed) failed(systemError(call, status));
  };
  pipe.onread = (bytes) => {
    const length = state[kReadBytesOrError] ?? 0;
    if (isClosed || length === 0) return;
    idle.refresh();
    if (bytes !== undefined && length > 0) {
      received(Buffer.from(bytes, state[kArrayBufferOffset], length));
    } else if (getSystemErrorName(length) === 'EOF') ended();
    else fail('read', length);
  };
  const connecting = new pipes.PipeConnectWrap();
  connecting.oncomplete = (status) => {
    if (isClosed) return;
    if (status < 0) {
      close();
      notConnected();
      return;
    }
    const writing = new streams.WriteWrap();
    writing.oncomplete = (written) => fail('write', written);
    fail('read', pipe.readStart());
    if (isClosed) return;
    const isText = typeof request === 'string';
    fail(
      'write',
      isText ? pipe.writeUtf8String(writing, request) : pipe.writeBuffer(writing, request),
    );
  };
  if (pipe.connect(connecting, path) < 0) {
    close();
    return null;
  }
  return { release: close, destroy: close };
}

/** As `node:net` reports it. */
function systemError(syscall: string, errno: number): Error {
  const code = getSystemErrorName(errno);
  return Object.assign(new Error(`${syscall} ${code}`), { errno, code, syscall });
}

/** One request and its answer, on a connection of their own. */
export interface Exchange {
  readonly request: string | Uint8Array;
  /** Without a byte of the answer, after which `timedOut` is called, in ms. */
  readonly timeoutMs: number;
  readonly received: (bytes: Buffer) => void;
  /** The other side sends nothing more. */
  readonly ended: () => void;
  readonly failed: (error: Error) => void;
  readonly timedOut: () => void;
}

/** The connection. After a call of one of these, nothing is called any more, or what is called has no effect. */
export interface Connection {
  /** The answer is whole: the other side closes the connection. */
  release(): void;
  /** Breaks it off. */
  destroy(): void;
}
