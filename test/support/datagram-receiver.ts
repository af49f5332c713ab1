import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** Node.js has no datagrams of Unix sockets. */
const program = `
import base64, os, socket, sys
path = sys.argv[1]
if os.path.exists(path): os.unlink(path)
receiver = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
receiver.bind(path)
print(flush=True)
while True: print(base64.b64encode(receiver.recv(1 << 20)).decode(), flush=True)
`;

/** A service of the system that gets datagrams at a Unix socket, as those of syslog and of the journal do. */
export class DatagramReceiver {
  /** What it got. */
  readonly datagrams: Buffer[] = [];
  readonly #process: ChildProcess;

  private constructor(process: ChildProcess) {
    this.#process = process;
  }

  /** @param onEnd is called with what ends it, for example `onTestFinished` */
  static async start(
    path: string,
    onEnd: (end: () => Promise<void>) => void,
  ): Promise<DatagramReceiver> {
    const stdio = ['ignore', 'pipe', 'inherit'] as const;
    const child = spawn('python3', ['-c', program, path], { stdio: [...stdio] });
    const receiver = new DatagramReceiver(child);
    onEnd(() => receiver.end());
    const lines = createInterface({ input: child.stdout });
    await once(lines, 'line');
    lines.on('line', (line) => receiver.datagrams.push(Buffer.from(line, 'base64')));
    return receiver;
  }

  async end(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const ended = once(this.#process, 'exit');
    this.#process.kill('SIGKILL');
    await ended;
  }
}
