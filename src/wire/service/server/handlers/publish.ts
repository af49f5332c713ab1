import { create } from '@bufbuild/protobuf';
import type { HandlerContext } from '@connectrpc/connect';
import { type PublishRequest, type PublishResponse, PublishResponseSchema } from '#messages';
import { type Coordinator, type Publication, VtrError } from '#model';
import { fromPublishedSession } from '../../convert/sessions/publication.ts';
import { fromExitStatus, toSession } from '../../convert/sessions/session.ts';
import { toStatus } from '../../errors.ts';
import { accepted } from '../accepted.ts';
import { callKey, handledKey } from '../limits/served-connection.ts';

/** How long calls of the same connection wait for the first message, in ms. */
const firstMs = 100;

/** Publishes a session that the client feeds until its stream ends, one message at a time. */
export async function* publish(
  coordinator: Coordinator,
  requests: AsyncIterable<PublishRequest>,
  context: HandlerContext,
): AsyncIterable<PublishResponse> {
  const steps = requests[Symbol.asyncIterator]();
  const { value: first } = await inPlace(steps.next(), context);
  const publication = await opened(coordinator, first, context);
  try {
    yield create(PublishResponseSchema, { session: toSession(publication.session) });
    for (;;) {
      const { done, value } = await steps.next();
      if (done) return;
      await apply(publication, value);
      context.values.get(handledKey)();
      yield create(PublishResponseSchema);
    }
  } catch (error) {
    throw context.signal.aborted ? toStatus(context.signal.reason) : toStatus(error);
  } finally {
    await publication.close();
  }
}

/** Waits for the first message. Calls after this one wait for it only if it was sent with the call. */
async function inPlace<T>(first: Promise<T>, context: HandlerContext): Promise<T> {
  const leave = () => context.values.get(callKey)?.done();
  const timer = setTimeout(() => setImmediate(leave), firstMs);
  try {
    return await first;
  } finally {
    clearTimeout(timer);
  }
}

function opened(
  coordinator: Coordinator,
  first: PublishRequest | undefined,
  context: HandlerContext,
): Promise<Publication> {
  return accepted(context, async () => {
    if (first?.step.case === 'open') {
      return coordinator.publish(fromPublishedSession(first.step.value));
    }
    throw new VtrError('INVALID_ARGUMENT', 'the first message opens the session');
  });
}

async function apply(publication: Publication, { step }: PublishRequest): Promise<void> {
  switch (step.case) {
    case 'output':
      return publication.write(step.value);
    case 'size':
      return publication.resize({ cols: step.value.cols, rows: step.value.rows });
    case 'exit':
      return publication.exit(fromExitStatus(step.value) ?? { code: null, signal: null });
    default:
      throw new VtrError(
        'INVALID_ARGUMENT',
        'a message after the first contains output, size or exit',
      );
  }
}
