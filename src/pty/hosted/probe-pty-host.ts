import { rmSync } from 'node:fs';
import { connect } from 'node:net';
import { socketProblem } from '#trust';
import { FrameReader } from './frames.ts';
import { decodeHello, type HostFacts, hostFactsOf, overlaps, type ProtocolRange } from './hello.ts';

/** A PTY host that may live, as seen from outside. */
export interface PtyHostProbe extends HostFacts {
  /** Path of the socket. */
  readonly path: string;
  /**
   * `usable`: this vtr can connect. `other_protocol`: it cannot, because the versions of the protocol
   * differ. `silent`: it does not answer in time: it is suspended, or the machine is busy. `gone`:
   * nothing listens, or another user does.
   */
  readonly state: 'usable' | 'other_protocol' | 'silent' | 'gone';
  /** The version of its package; empty if unknown. */
  readonly version: string;
  readonly protocol: ProtocolRange;
}

const noFacts: HostFacts = {
  pid: 0,
  startedAtMs: 0,
  bootMs: 0,
  hasCoordinator: false,
  running: 0,
  exited: 0,
  paused: 0,
};

/**
 * Returns the state of the PTY host at a socket, without disturbing its coordinator. Never fails.
 * Removes the socket of a host that is gone.
 *
 * @param timeoutMs after which a host that does not answer is `silent`
 */
export function probePtyHost(
  path: string,
  { timeoutMs = 1_000 }: { readonly timeoutMs?: number } = {},
): Promise<PtyHostProbe> {
  return new Promise((resolve) => {
    const none = { path, ...noFacts, version: '', protocol: { min: 0, max: 0 } };
    if (socketProblem(path) !== null) {
      resolve({ ...none, state: 'gone' });
      return;
    }
    const socket = connect(path);
    const end = (probe: PtyHostProbe) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(probe);
    };
    const timer = setTimeout(() => end({ ...none, state: 'silent' }), timeoutMs);
    const reader = new FrameReader(({ type, payload }) => {
      if (type !== 'hello') return;
      const hello = decodeHello(payload);
      const { version, min, max } = hello;
      const state = overlaps(hello) ? 'usable' : 'other_protocol';
      end({ path, state, ...hostFactsOf(hello), version, protocol: { min, max } });
    });
    socket.on('data', (chunk) => {
      try {
        reader.push(chunk);
      } catch {
        end({ ...none, state: 'other_protocol' });
      }
    });
    socket.once('error', ({ code }: NodeJS.ErrnoException) => {
      if (code === 'ECONNREFUSED') rmSync(path, { force: true });
      // EAGAIN: the host does not accept the connections that already wait.
      end({ ...none, state: code === 'EAGAIN' ? 'silent' : 'gone' });
    });
    // Without an answer, it was about to end.
    socket.once('close', () => end({ ...none, state: 'gone' }));
  });
}
