import { durationText } from '#base';
import { type AuditState, counted, type ForwardState, type Persistence } from '#model';
import type { Context } from '../context.ts';
import { isoTime, printJson, printPlain, wantsJson } from '../output/printing.ts';
import { daemonClient } from './known-coordinators.ts';

/**
 * Prints the processes of the daemon at a socket.
 *
 * @throws VtrError UNAVAILABLE if none runs
 */
export async function printStatus(
  context: Context,
  socket: string,
  flags: { readonly json: boolean },
): Promise<undefined> {
  const daemon = await daemonClient(socket, context).daemon();
  const { version, pid, startedAtMs, host, persist, silentHosts, audit, damaged } = daemon;
  if (silentHosts > 0) {
    context.say(silentHostsText(silentHosts));
  }
  if (await wantsJson(context, flags)) {
    printJson(context, {
      pid,
      host_pid: host?.pid ?? null,
      socket,
      version,
      host_version: host?.version ?? null,
      started_at: isoTime(startedAtMs),
      damaged,
      persist: { state: persist.state, reason: persist.reason ?? null },
      audit: audit && {
        directory: audit.directory,
        lost: audit.lost,
        losing: audit.isLosing,
        reason: audit.reason ?? null,
        forward: audit.forward === undefined ? null : forwardJson(audit.forward),
      },
    });
  } else {
    const rows = [
      ['socket', socket],
      ['daemon', `process ${pid}, vtr ${version}, up ${durationText(Date.now() - startedAtMs)}`],
      ['host', host === null ? 'none' : `process ${host.pid}, vtr ${host.version}`],
      ['sessions', persistenceText(persist)],
      ['audit', auditText(audit)],
      ...(audit?.forward === undefined ? [] : [['forward', forwardText(audit.forward)]]),
      ...(damaged.length === 0 ? [] : [['damaged', unreadableText(damaged.length)]]),
    ];
    printPlain(context, rows.map(([name = '', value]) => `${name.padEnd(10)}${value}\n`).join(''));
  }
  return undefined;
}

/** For PTY hosts whose sessions are not known. */
export const silentHostsText = (count: number): string =>
  count === 1
    ? 'a PTY host cannot be used; its sessions are not listed; see vtr doctor'
    : `${count} PTY hosts cannot be used; their sessions are not listed; see vtr doctor`;

/** For saved sessions that cannot be restored. */
export const damagedText = (count: number): string =>
  count === 1
    ? 'a saved session is damaged and not listed; see vtr doctor'
    : `${count} saved sessions are damaged and not listed; see vtr doctor`;

/** For saved sessions that are damaged, or may be whole and cannot be read. @param reason of one of them */
export function unreadableText(count: number, reason = ''): string {
  const [text, why] =
    count === 1
      ? ['a saved session cannot be read and is not listed', reason]
      : [`${count} saved sessions cannot be read and are not listed`, `for example: ${reason}`];
  return `${text}${reason === '' ? '' : ` (${why})`}; see vtr doctor`;
}

/** Where the audit trail is, and whether it is complete. */
export function auditText(audit: AuditState | null): string {
  if (audit === null) return 'none';
  const { directory, lost, isLosing, reason } = audit;
  if (lost === 0) return directory;
  const missing = `${counted(lost, 'entry', 'entries')} could not be written: ${reason}`;
  return isLosing ? `${missing}; nothing is recorded until it can be` : missing;
}

const forwardJson = ({ to, waiting, lost, isFailing, reason }: ForwardState) => ({
  to,
  waiting,
  lost,
  failing: isFailing,
  reason: reason ?? null,
});

/** Where the audit trail is forwarded to, and what is missing there. */
export function forwardText({ to, waiting, lost, isFailing, reason }: ForwardState): string {
  const entries = (count: number) => counted(count, 'entry', 'entries');
  return [
    to,
    ...(isFailing ? [`${entries(waiting)} not forwarded: ${reason}`] : []),
    ...(lost > 0 ? [`${entries(lost)} removed by audit_max before they could be forwarded`] : []),
  ].join('; ');
}

const persistenceTexts: Readonly<Record<Persistence['state'], string>> = {
  disk: 'saved on disk: they survive the daemon, and can be revived after a reboot',
  memory: 'saved in memory: they survive the daemon',
  stopped: 'not saved',
};

const persistenceText = ({ state, reason }: Persistence): string =>
  reason === undefined ? persistenceTexts[state] : `${persistenceTexts[state]}: ${reason}`;
