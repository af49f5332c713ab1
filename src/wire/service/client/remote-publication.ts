import type { MessageInitShape } from '@bufbuild/protobuf';
import {
  checkExitStatus,
  checkLifetime,
  checkSessionName,
  checkSize,
  type ExitStatus,
  type Publication,
  type PublishRequest,
  type SessionInfo,
  type Size,
  VtrError,
} from '#model';
import { toPublishedSession } from '../convert/publication.ts';
import { fromSession, toExitStatus } from '../convert/session.ts';
import { checked } from '../convert/session-ref.ts';
import type { PublishRequestSchema, PublishResponse } from '../gen/vtr.gen.ts';

type PublishStep = MessageInitShape<typeof PublishRequestSchema>;

/** Of output in one message. */
const maxStepBytes = 256 * 1024;

/** Steps for the other side, one at a time; ends when there will be none. */
class PublishSteps implements AsyncIterable<PublishStep> {
  #queue: PublishStep[] = [];
  #wake = (): void => {};
  #ended = false;

  push(step: PublishStep): void {
    this.#queue.push(step);
    this.#wake();
  }

  end(): void {
    this.#ended = true;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncIterator<PublishStep> {
    for (;;) {
      const step = this.#queue.shift();
      if (step !== undefined) yield step;
      else if (this.#ended) return;
      else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    }
  }
}

interface RemotePublicationParts {
  readonly steps: PublishSteps;
  readonly answers: AsyncIterator<PublishResponse>;
  readonly toError: ToError;
}

/** A publication on the other side of a connection. Contract: {@link Publication}. */
class RemotePublication implements Publication {
  readonly session: SessionInfo;
  readonly #parts: RemotePublicationParts;
  #last: Promise<unknown> = Promise.resolve();
  /** Why nothing is taken any more. */
  #over: VtrError | null = null;

  constructor(session: SessionInfo, parts: RemotePublicationParts) {
    this.session = session;
    this.#parts = parts;
  }

  write(bytes: Uint8Array): Promise<void> {
    // A copy, because the caller's array is the caller's again when this returns.
    const own = new Uint8Array(bytes);
    return this.#inTurn(async () => {
      for (let at = 0; at < own.length; at += maxStepBytes) {
        const value = own.subarray(at, at + maxStepBytes);
        await this.#take({ step: { case: 'output', value } });
      }
    });
  }

  resize(size: Size): Promise<void> {
    return this.#inTurn(() => {
      const { cols, rows } = checked(this.session, () => checkSize(size));
      return this.#take({ step: { case: 'size', value: { cols, rows } } });
    });
  }

  exit(status: ExitStatus): Promise<void> {
    return this.#inTurn(() => {
      const value = toExitStatus(checked(this.session, () => checkExitStatus(status)));
      return this.#take({ step: { case: 'exit', value } });
    });
  }

  async close(): Promise<void> {
    await this.#last;
    this.#over ??= new VtrError(
      'SESSION_NOT_RUNNING',
      `session ${this.session.name}: it is closed`,
    );
    const { steps, answers } = this.#parts;
    steps.end();
    // The other side ends its part when it has hung the session up; it may have failed before.
    await answers.next().catch(() => {});
  }

  async #take(step: PublishStep): Promise<void> {
    if (this.#over !== null) throw this.#over;
    const { steps, answers, toError } = this.#parts;
    steps.push(step);
    try {
      const { done } = await answers.next();
      if (done) throw new Error('the stream has ended');
    } catch (error) {
      // Only what the session itself says is said of it from then on as well.
      this.#over = toError(error);
      throw this.#over;
    }
  }

  #inTurn(step: () => Promise<void>): Promise<void> {
    const taken = this.#last.then(step);
    this.#last = taken.catch(() => {});
    return taken;
  }
}

type ToError = (error: unknown) => VtrError;

/**
 * Publishes a session. What proto3 does not know from none is checked here.
 *
 * @param call makes the call with the steps that it is given
 * @throws VtrError as `Coordinator.publish`; what the connection says as it is
 */
export async function openRemotePublication(
  request: PublishRequest,
  call: (steps: AsyncIterable<PublishStep>) => AsyncIterable<PublishResponse>,
  toError: ToError,
): Promise<Publication> {
  const { name, size, lifetime = {} } = request;
  if (name !== undefined) checkSessionName(name);
  checked(name ?? '(no name)', () => {
    if (size !== undefined) checkSize(size);
    checkLifetime(lifetime);
  });
  const steps = new PublishSteps();
  steps.push({ step: { case: 'open', value: toPublishedSession(request) } });
  const answers = call(steps)[Symbol.asyncIterator]();
  const { value } = await answers.next();
  if (value?.session !== undefined) {
    return new RemotePublication(fromSession(value.session), { steps, answers, toError });
  }
  throw new VtrError('INTERNAL_ERROR', 'the answer of the coordinator lacks a part');
}
