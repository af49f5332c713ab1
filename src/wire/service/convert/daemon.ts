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

/**
 * The process that the service runs in. It is public, so its file must not import Connect, whose types
 * need those of the DOM.
 */
export interface DaemonControls {
  describe(): DaemonDescription;
  /** Begins to stop after the answer to this call was sent. Returns at once. */
  stop(): void;
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
