import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { connect as connectTls, createServer as createTlsServer } from 'node:tls';
import { onTestFinished } from 'vitest';
import { tree } from '../tree.ts';

/** A directory with an authority, `ca.pem`, and what it certified with its key: `server.pem`, `client.pem`. */
export function certificates(): string {
  const directory = tree();
  const make = (name: string, ...more: readonly string[]) => {
    const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
    const out = ['-keyout', `${name}.key`, '-out', `${name}.crt`, '-subj', `/CN=${name}`];
    const args = ['req', '-x509', '-days', '2', ...key, ...out, ...more];
    execFileSync('openssl', args, { cwd: directory, stdio: 'pipe' });
    const parts = [`${name}.crt`, `${name}.key`].map((file) => readFileSync(join(directory, file)));
    writeFileSync(join(directory, `${name}.pem`), Buffer.concat(parts));
  };
  make('ca');
  const signed = ['-CA', 'ca.crt', '-CAkey', 'ca.key', '-addext', 'basicConstraints=CA:FALSE'];
  make('server', ...signed, '-addext', 'subjectAltName=DNS:localhost');
  make('client', ...signed);
  return directory;
}

/** Where the two proxies listen and connect. */
export interface TlsWay {
  readonly certificates: string;
  /** The socket of the coordinator. */
  readonly socket: string;
  readonly port: number;
  /** The socket for clients. */
  readonly near: string;
}

/** Node.js as the proxies. */
export async function nodeProxies({ certificates: at, socket, port, near }: TlsWay): Promise<void> {
  const files = (name: string) => {
    const cert = readFileSync(join(at, `${name}.pem`));
    return { cert, key: cert, ca: readFileSync(join(at, 'ca.pem')) };
  };
  const strict = { requestCert: true, rejectUnauthorized: true };
  const far = createTlsServer({ ...files('server'), ...strict }, (from) =>
    joinBoth(from, connect(socket)),
  );
  const here = createServer((from) => joinBoth(from, connectTls({ port, ...files('client') })));
  await Promise.all([listening(far, port), listening(here, near)]);
}

function joinBoth(one: Socket, other: Socket): void {
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    from.pipe(to);
    from.on('error', () => to.destroy());
    from.on('close', () => to.destroy());
  }
}

async function listening(server: Server, at: number | string): Promise<void> {
  const open = new Set<Socket>();
  server.on('connection', (socket) => open.add(socket));
  onTestFinished(() => {
    server.close();
    for (const socket of open) socket.destroy();
  });
  if (typeof at === 'number') server.listen(at, '127.0.0.1');
  else server.listen(at);
  await once(server, 'listening');
}

/** Runs stunnel with a configuration, once it listens. */
export async function stunnel(configuration: string): Promise<void> {
  const file = join(tree(), 'stunnel.conf');
  writeFileSync(file, configuration);
  const child = spawn('stunnel', [file], { stdio: ['ignore', 'ignore', 'pipe'] });
  onTestFinished(() => ended(child));
  let said = '';
  await new Promise<void>((resolve, reject) => {
    child.stderr.on('data', (chunk) => {
      said += chunk;
      if (said.includes('Configuration successful')) resolve();
    });
    child.once('exit', () => reject(new Error(`stunnel does not start: ${said}`)));
  });
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const exit = once(child, 'exit');
  child.kill();
  await exit;
}

/** What a client without a certificate gets: an answer, and why its connection failed. */
export async function withoutCertificate({
  certificates: at,
  port,
}: TlsWay): Promise<{ readonly answer: string; readonly failure: string }> {
  const client = connectTls({ port, host: 'localhost', ca: readFileSync(join(at, 'ca.pem')) });
  let [answer, failure] = ['', ''];
  client.on('data', (chunk) => {
    answer += chunk;
  });
  client.on('error', ({ message }) => {
    failure = message;
  });
  client.end('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  await new Promise((resolve) => client.once('close', resolve));
  return { answer, failure };
}
