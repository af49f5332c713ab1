import type { MessageInitShape } from '@bufbuild/protobuf';
import { ignored } from '#base';
import type { PublishRequestSchema, PublishResponse } from '#messages';
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
import { checked } from '../convert/driver.ts';
import { present } from '../convert/field.ts';
import { fromSession, toExitStatus, toPublishedSession } from '../convert/session.ts';

type PublishStep = MessageInitShape<typeof PublishRequestSchema>;

/** Output in one message, in bytes. */
const maxStepBytes = 256 * 1024;

/** The queue of steps that a publication sends. */
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

/** A publication over the stream of one call. Contract: {@link Publication}. */
class RemotePublication implements Publication {
  readonly session: SessionInfo;
  readonly #parts: RemotePublicationParts;
  #last: Promise<unknown> = Promise.resolve();
  /** Why further steps are refused. */
  #over: VtrError | null = null;

  constructor(session: SessionInfo, parts: RemotePublicationParts) {
    this.session = session;
    this.#parts = parts;
  }

  write(bytes: Uint8Array): Promise<void> {
    // A copy: the caller may change its array as soon as this returns.
    const own = new Uint8Array(bytes);
    return this.#inOrder(async () => {
      for (let at = 0; at < own.length; at += maxStepBytes) {
        const value = own.subarray(at, at + maxStepBytes);
        await this.#send({ step: { case: 'output', value } });
      }
    });
  }

  resize(size: Size): Promise<void> {
    return this.#inOrder(() => {
      const { cols, rows } = checked(this.session, () => checkSize(size));
      return this.#send({ step: { case: 'size', value: { cols, rows } } });
    });
  }

  exit(status: ExitStatus): Promise<void> {
    return this.#inOrder(() => {
      const value = toExitStatus(checked(this.session, () => checkExitStatus(status)));
      return this.#send({ step: { case: 'exit', value } });
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
    // The server ends its stream after it has hung the session up.
    await ignored(answers.next(), 'the stream may have failed before');
  }

  async #send(step: PublishStep): Promise<void> {
    if (this.#over !== null) throw this.#over;
    const { steps, answers, toError } = this.#parts;
    steps.push(step);
    try {
      const { done } = await answers.next();
      if (done) throw new Error('the stream has ended');
    } catch (error) {
      this.#over = this.#endedBy(toError(error));
      throw this.#over;
    }
  }

  /** A published session ends with its coordinator, even if other sessions continue. */
  #endedBy(error: VtrError): VtrError {
    if (error.code !== 'UNAVAILABLE') return error;
    const message = `session ${this.session.name}: the coordinator ended, and published sessions with it; publish it again`;
    return new VtrError('UNAVAILABLE', message, { cause: error, details: error.details });
  }

  #inOrder(step: () => Promise<void>): Promise<void> {
    const taken = this.#last.then(step);
    this.#last = ignored(taken, 'the caller gets the error');
    return taken;
  }
}

type ToError = (error: unknown) => VtrError;

/**
 * Publishes a session. Proto3 cannot tell some values from absent ones, so these are checked here.
 *
 * @param call makes the call, whose stream sends the steps
 * @throws VtrError as `Coordinator.publish`; errors of the connection are thrown unconverted
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
  const session = present((await answers.next()).value?.session);
  return new RemotePublication(fromSession(session), { steps, answers, toError });
}
