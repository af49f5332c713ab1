import type { SubscribeRequest as SubscribeMessage } from '#messages';
import { checkScrollbackLines, checkWaitingBytes, type SubscribeRequest } from '#model';
import { defined, field } from '../field.ts';

/** @throws VtrError INVALID_ARGUMENT for values that proto3 cannot represent */
export const toSubscribeFields = ({
  since,
  scrollbackLines,
  maxWaitingBytes,
  redact,
}: SubscribeRequest) => ({
  ...defined({ since, redact }),
  ...field(
    'maxWaitingBytes',
    maxWaitingBytes === undefined ? null : checkWaitingBytes(maxWaitingBytes),
  ),
  ...field(
    'scrollbackLines',
    scrollbackLines === undefined ? null : checkScrollbackLines(scrollbackLines),
  ),
});

/**
 * The request for the events that the subscriber gets: without events or raw output that is the exit,
 * which needs no lines. Only events continue at a mark.
 */
export function fromSubscribeFields(message: SubscribeMessage): SubscribeRequest {
  const { includeEvents, includeRawOutput, since, scrollbackLines, maxWaitingBytes, redact } =
    message;
  if (!includeEvents && !includeRawOutput) return { scrollbackLines: 0 };
  return {
    ...field('since', includeEvents ? since : null),
    ...defined({ redact, scrollbackLines }),
    ...field('maxWaitingBytes', includeEvents ? maxWaitingBytes : null),
  };
}
