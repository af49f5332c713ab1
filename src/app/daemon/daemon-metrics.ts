import { readFile } from 'node:fs/promises';
import type { CoordinatorCounts } from '#coordinator';
import type { MetricFamily } from '#metrics';
import type { ForwardState, Persistence } from '#model';
import type { DaemonCoordinator } from './daemon-coordinator.ts';

export interface DaemonMetricsOptions {
  readonly sessions: Pick<
    DaemonCoordinator,
    'coordinator' | 'hostPids' | 'persistence' | 'silentHosts' | 'auditState'
  >;
  /** The version of vtr. */
  readonly version: string;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly startedAtMs: number;
}

/**
 * What a daemon tells Prometheus about itself. No label is the name of a session, a program or a user, so
 * that a monitoring system does not show what runs.
 */
export class DaemonMetrics {
  readonly #options: DaemonMetricsOptions;
  /** Requests that the web page has refused for the safety of the sessions. */
  refusedRequests = 0;

  constructor(options: DaemonMetricsOptions) {
    this.#options = options;
  }

  async families(): Promise<MetricFamily[]> {
    const { coordinator } = this.#options.sessions;
    const [counts, memory] = await Promise.all([coordinator.counts(), this.#memory()]);
    return [...this.#ofDaemon(), memory, ...this.#ofSessions(counts), ...this.#ofProblems()];
  }

  #ofDaemon(): MetricFamily[] {
    const { version, startedAtMs } = this.#options;
    return [
      {
        name: 'vtr_build',
        help: 'The version of the daemon.',
        type: 'info',
        points: [{ labels: { version }, value: 1 }],
      },
      {
        name: 'vtr_start_time_seconds',
        unit: 'seconds',
        help: 'When the daemon was started, since 1970. All counters begin then.',
        type: 'gauge',
        points: [{ labels: {}, value: startedAtMs / 1000 }],
      },
    ];
  }

  async #memory(): Promise<MetricFamily> {
    const { hostPids } = this.#options.sessions;
    const hostSizes = await Promise.all(hostPids.map((pid) => residentBytes(pid)));
    const sizes = hostSizes.filter((bytes) => bytes !== null);
    const hosts = { labels: { process: 'pty_host' }, value: sum(sizes) };
    return {
      name: 'vtr_process_resident_memory_bytes',
      unit: 'bytes',
      help: 'Resident memory of the daemon, and of its PTY hosts together where /proc tells it.',
      type: 'gauge',
      points: [
        { labels: { process: 'daemon' }, value: process.memoryUsage.rss() },
        ...(sizes.length > 0 ? [hosts] : []),
      ],
    };
  }

  #ofSessions({ sessions, agents, waits, ...counts }: CoordinatorCounts): MetricFamily[] {
    return [
      {
        name: 'vtr_sessions',
        help: 'Sessions by state, as in vtr ls. unknown: the system did not tell it, or the session is being restored.',
        type: 'gauge',
        points: pointsOf('state', sessions),
      },
      {
        name: 'vtr_agents',
        help: 'Coding agents by state. done: idle after a turn, and no person has looked since.',
        type: 'gauge',
        points: pointsOf('state', agents),
      },
      this.#counter('vtr_output_bytes', 'Output of programs that was read.', counts.outputBytes),
      this.#counter('vtr_input_bytes', 'Input that was typed into programs.', counts.inputBytes),
      {
        name: 'vtr_waits',
        help: 'Waits under way, also those of calls that send or spawn and wait.',
        type: 'gauge',
        points: [{ labels: {}, value: waits }],
      },
      {
        name: 'vtr_waits_ended',
        help: 'Waits that have ended, by outcome. failed: cancelled, or the session was removed.',
        type: 'counter',
        createdAtMs: this.#options.startedAtMs,
        points: pointsOf('outcome', counts.endedWaits),
      },
      {
        name: 'vtr_programs_ended',
        help: 'Programs that have ended. failed: with a status other than 0, a signal, a limit or their PTY host. ended: by a caller.',
        type: 'counter',
        createdAtMs: this.#options.startedAtMs,
        points: pointsOf('result', counts.endedPrograms),
      },
    ];
  }

  #ofProblems(): MetricFamily[] {
    const { persistence, silentHosts, auditState } = this.#options.sessions;
    const web =
      'Requests that the web page refused: a wrong host or origin, or a missing permission.';
    const lost = 'Entries of the audit trail that could not be written.';
    return [
      {
        name: 'vtr_persistence',
        help: 'Where sessions are saved: on disk, in the memory of the PTY host, or not (stopped).',
        type: 'stateset',
        points: persistences.map((state) => ({
          labels: { vtr_persistence: state },
          value: state === persistence.state ? 1 : 0,
        })),
      },
      {
        name: 'vtr_silent_pty_hosts',
        help: 'PTY hosts that the daemon cannot use. Their sessions are not counted.',
        type: 'gauge',
        points: [{ labels: {}, value: silentHosts }],
      },
      ...(auditState === null
        ? []
        : [this.#counter('vtr_audit_lost_entries', lost, auditState.lost)]),
      ...(auditState?.forward === undefined ? [] : this.#ofForwarding(auditState.forward)),
      this.#counter('vtr_web_refused_requests', web, this.refusedRequests),
    ];
  }

  #ofForwarding({ waiting, lost }: ForwardState): MetricFamily[] {
    return [
      {
        name: 'vtr_audit_forward_waiting_entries',
        help: 'Entries of the audit trail that are to be forwarded.',
        type: 'gauge',
        points: [{ labels: {}, value: waiting }],
      },
      this.#counter(
        'vtr_audit_forward_lost_entries',
        'Entries of the audit trail that were removed before they could be forwarded.',
        lost,
      ),
    ];
  }

  #counter(name: string, help: string, value: number): MetricFamily {
    const unit = name.endsWith('_bytes') ? ({ unit: 'bytes' } as const) : {};
    const { startedAtMs: createdAtMs } = this.#options;
    return { name, ...unit, help, type: 'counter', createdAtMs, points: [{ labels: {}, value }] };
  }
}

const persistences: readonly Persistence['state'][] = ['disk', 'memory', 'stopped'];

const pointsOf = (label: string, values: ReadonlyMap<string, number>) =>
  [...values].map(([each, value]) => ({ labels: { [label]: each }, value }));

const sum = (values: readonly number[]): number => values.reduce((all, each) => all + each, 0);

/** Returns VmRSS of proc_pid_status(5); null where the system does not tell it. */
async function residentBytes(pid: number): Promise<number | null> {
  const status = await readFile(`/proc/${pid}/status`, 'latin1').catch(() => '');
  const [, kilobytes] = /^VmRSS:\s*(\d+) kB$/m.exec(status) ?? [];
  return kilobytes === undefined ? null : Number(kilobytes) * 1024;
}
