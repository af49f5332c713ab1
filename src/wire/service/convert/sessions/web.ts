import { create, type MessageInitShape } from '@bufbuild/protobuf';
import * as wire from '#messages';
import type { SharedLink, ShareRequest, WebLink, WebRequest, WebShare, WebStatus } from '#model';
import { defined, field } from '../field.ts';
import { fromTimestamp, toLongDuration, toMs, toTimestamp } from '../time.ts';

export const toWebFields = ({ port, host, tls, behindProxy, openFile }: WebRequest) => ({
  ...defined({ port, host }),
  ...field('tlsCertFile', tls?.certFile),
  ...field('tlsKeyFile', tls?.keyFile),
  ...defined({ behindProxy, openFile }),
});

export const fromWebFields = (message: wire.StartWebRequest): WebRequest => {
  const { port, host, tlsCertFile: certFile, tlsKeyFile: keyFile, behindProxy, openFile } = message;
  const hasTls = certFile !== undefined || keyFile !== undefined;
  return {
    ...defined({ port, host }),
    ...(hasTls ? { tls: { certFile: certFile ?? '', keyFile: keyFile ?? '' } } : {}),
    ...field('behindProxy', behindProxy),
    ...(openFile ? { openFile } : {}),
  };
};

export const fromWebLink = ({ url, port, file }: wire.StartWebResponse): WebLink => ({
  ...{ url, port },
  ...(file === '' ? {} : { file }),
});

export const toWebStatus = ({
  port,
  warnings,
  ...same
}: WebStatus): MessageInitShape<typeof wire.DescribeWebResponseSchema> => ({
  ...same,
  warnings: warnings.map(({ atMs, again, uid }) => ({
    ...{ at: toTimestamp(atMs), again },
    ...field('uid', uid),
  })),
  running: port !== null,
  port: port ?? 0,
});

export const fromWebStatus = (message: wire.DescribeWebResponse): WebStatus => {
  const { running, port, origin, viewers, shares } = message;
  const warnings = message.warnings.map(({ at, again, uid = null }) => ({
    ...{ atMs: fromTimestamp(at), again, uid },
  }));
  return { port: running ? port : null, origin, viewers, shares, warnings };
};

export const toShareFields = ({
  forMs,
  write = false,
  alis = false,
  withHistory = false,
  redact,
}: ShareRequest) => ({
  ...{ write, alis, withHistory },
  ...field('redact', redact),
  ...field('duration', forMs === undefined ? null : toLongDuration(forMs)),
});

export const fromShareFields = (message: wire.ShareWebRequest): ShareRequest => {
  const { duration, write, alis, withHistory, redact } = message;
  const forMs = field('forMs', duration && toMs(duration));
  return { write, alis, withHistory, ...field('redact', redact), ...forMs };
};

export const toSharedLink = ({ id, url, untilMs }: SharedLink) => ({
  ...{ id, url, until: toTimestamp(untilMs) },
});

export const fromSharedLink = ({ id, url, until }: wire.ShareWebResponse): SharedLink => ({
  ...{ id, url, untilMs: fromTimestamp(until) },
});

export const toWebShare = ({ sinceMs, untilMs, ...same }: WebShare): wire.WebShare =>
  create(wire.WebShareSchema, {
    ...same,
    since: toTimestamp(sinceMs),
    until: toTimestamp(untilMs),
  });

export const fromWebShare = ({ since, until, ...message }: wire.WebShare): WebShare => {
  const { id, sessionId, session, write, alis, withHistory, redact, viewers } = message;
  const times = { sinceMs: fromTimestamp(since), untilMs: fromTimestamp(until) };
  return { id, sessionId, session, write, alis, withHistory, redact, ...times, viewers };
};
