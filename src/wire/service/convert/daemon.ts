import type { MessageInitShape } from '@bufbuild/protobuf';
import type { DescribeDaemonResponse, DescribeDaemonResponseSchema } from '../gen/vtr.gen.ts';
import { fromTimestamp, toTimestamp } from './time.ts';

/** The process that serves a coordinator. */
export interface DaemonDescription {
  /** Of vtr. */
  readonly version: string;
  readonly pid: number;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly startedAtMs: number;
  readonly socketPath: string;
}

export const toDaemon = ({
  startedAtMs,
  ...same
}: DaemonDescription): MessageInitShape<typeof DescribeDaemonResponseSchema> => ({
  ...same,
  startedAt: toTimestamp(startedAtMs),
});

export const fromDaemon = (message: DescribeDaemonResponse): DaemonDescription => {
  const { version, pid, startedAt, socketPath } = message;
  return { version, pid, startedAtMs: fromTimestamp(startedAt), socketPath };
};
