import { probePtyHosts } from '#app/daemon/start';
import { isListening, ownLocalSocket, ptyHostSockets } from '#config';
import { counted } from '#model';
import type { Context } from '../context.ts';
import type { Finding } from './finding.ts';

/** Checks the processes that own the pseudo-terminals. */
export async function ptyHosts(context: Context): Promise<Finding> {
  const subject = 'PTY host';
  const socket = await ownLocalSocket(context);
  const found = await probePtyHosts(socket);
  const findings = found.flatMap((host) => problemOf(context.version, host) ?? []);
  const worst = findings.find(({ state }) => state === 'bad') ?? findings[0];
  if (worst !== undefined) {
    const text = findings.map((each) => each.text).join('; ');
    return { ...worst, subject, text };
  }
  const [host] = found;
  if (host === undefined) return { state: 'good', subject, text: 'not running' };
  const programs = counted(host.running, 'program');
  return {
    state: 'good',
    subject,
    text: `version ${host.version}, process ${host.pid}, ${programs}`,
  };
}

/** A host as the daemon's code describes it. */
interface PtyHost {
  readonly path: string;
  readonly state: 'usable' | 'other_protocol' | 'silent' | 'gone';
  readonly version: string;
  readonly pid: number;
  readonly running: number;
  readonly paused: number;
  readonly hasCoordinator: boolean;
}

type Problem = Omit<Finding, 'subject'>;

function problemOf(version: string, host: PtyHost): Problem | null {
  const { path, state, pid, running, paused, hasCoordinator } = host;
  if (state === 'silent') {
    const fix = `kill -CONT, or kill -KILL to end its programs; fuser ${path} prints its process`;
    return { state: 'bad', text: `the host at ${path} does not respond`, fix };
  }
  const has = `process ${pid} with ${counted(running, 'program')}`;
  if (state === 'other_protocol') {
    const text = `${has} runs vtr ${host.version}, which this version cannot use`;
    const fix = `use vtr ${host.version} until they have ended, or end them with vtr serve --stop`;
    return { state: 'warning', text, fix };
  }
  if (!hasCoordinator && running > 0) {
    const waits = paused > 0 ? `; ${paused} of them wait until their output is read` : '';
    return { state: 'warning', text: `${has} has no daemon${waits}`, fix: 'vtr serve --restart' };
  }
  if (paused > 0) {
    const text = `${has}: the daemon does not read the output of ${paused}, which wait`;
    return { state: 'warning', text, fix: 'vtr serve --restart' };
  }
  if (host.version === version) return null;
  const text = `${has} runs vtr ${host.version}, this command is ${version}`;
  return { state: 'warning', text, fix: 'none needed: it ends with its last session' };
}

/** Returns the sockets of hosts that were killed. */
export async function staleHostSockets(socket: string): Promise<string[]> {
  const sockets = ptyHostSockets(socket);
  const areLive = await Promise.all(sockets.map(isListening));
  return sockets.filter((_, index) => !areLive[index]);
}
