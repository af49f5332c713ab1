import type { MessageInitShape } from '@bufbuild/protobuf';
import { defined, ignored, Latest } from '#base';
import type { UpdateViewRequestSchema, ViewResponse } from '#messages';
import {
  asVtrError,
  checkSize,
  type GiveRequest,
  type Lease,
  type Size,
  type Viewing,
  type ViewingState,
  type ViewRequest,
} from '#model';
import { fromViewResponse } from '../convert/driver.ts';
import { isInterruption } from './continuity.ts';

/** The stream of one call of OpenLease. */
export interface LeaseStream {
  readonly id: string;
  /** Settles when the stream has ended. */
  readonly ended: Promise<unknown>;
}

export interface LeaseCalls {
  /** Opens a lease, or one again. */
  open(id: string | undefined, signal: AbortSignal): Promise<LeaseStream>;
  close(id: string): Promise<unknown>;
  /** Whether a lease whose stream has ended is opened again. */
  readonly reopens: boolean;
}

/** A lease that lasts as long as a stream, which is opened again when the coordinator is replaced. */
export class RemoteLease implements Lease {
  readonly id: string;
  readonly #calls: LeaseCalls;
  readonly #stream: AbortController;
  #closing: Promise<void> | null = null;

  /** @throws VtrError as `Coordinator.openLease` */
  static async open(calls: LeaseCalls, id?: string): Promise<Lease> {
    const controller = new AbortController();
    return new RemoteLease(calls, await calls.open(id, controller.signal), controller);
  }

  private constructor(calls: LeaseCalls, stream: LeaseStream, controller: AbortController) {
    this.id = stream.id;
    this.#calls = calls;
    this.#stream = controller;
    void this.#hold(stream.ended);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    try {
      await this.#calls.close(this.id);
    } finally {
      this.#stream.abort();
    }
  }

  async #hold(ended: Promise<unknown>): Promise<void> {
    await ignored(ended, 'the lease is opened again, whatever ended it');
    if (!this.#calls.reopens || this.#closing !== null) return;
    try {
      const stream = await this.#calls.open(this.id, this.#stream.signal);
      void this.#hold(stream.ended);
    } catch {
      // The coordinator has closed the lease, or is gone: its programs have ended.
    }
  }
}

/** The stream of one call of View. */
export interface ViewStream {
  readonly first: ViewResponse;
  readonly rest: AsyncIterator<ViewResponse>;
}

type Change = NonNullable<MessageInitShape<typeof UpdateViewRequestSchema>['change']>;

export interface ViewCalls {
  /** Opens a viewing, or one again. @throws VtrError */
  open(request: ViewRequest, signal: AbortSignal): Promise<ViewStream>;
  update(viewId: string, change: Change): Promise<unknown>;
  close(viewId: string): Promise<unknown>;
  toError(error: unknown): Error;
  /** Whether a viewing whose coordinator was replaced is opened again. */
  readonly reopens: boolean;
}

/** How often a change is tried, when the coordinator is replaced again and again. */
const maxTries = 3;

/** A viewing that lasts as long as a stream, which is opened again when the coordinator is replaced. */
export class RemoteViewing implements Viewing {
  readonly id: string;
  readonly #calls: ViewCalls;
  readonly #states: Latest<ViewingState>;
  readonly #cancel: AbortController;
  #request: ViewRequest;
  /** Resolves when the stream is open; never rejects. */
  #opened: Promise<unknown> = Promise.resolve();
  #closing: Promise<void> | null = null;

  /** @throws VtrError as `Coordinator.view` */
  static async open(calls: ViewCalls, request: ViewRequest): Promise<Viewing> {
    const cancel = new AbortController();
    const stream = await calls.open(request, cancel.signal);
    return new RemoteViewing(calls, request, stream, cancel);
  }

  private constructor(
    calls: ViewCalls,
    request: ViewRequest,
    stream: ViewStream,
    cancel: AbortController,
  ) {
    this.id = stream.first.viewId;
    this.#calls = calls;
    this.#request = { ...request, id: this.id };
    this.#cancel = cancel;
    this.#states = new Latest(fromViewResponse(stream.first));
    void this.#hold(stream);
  }

  [Symbol.asyncIterator](): AsyncIterator<ViewingState> {
    return this.#states[Symbol.asyncIterator]();
  }

  async take({ force = false }: { readonly force?: boolean } = {}): Promise<void> {
    await this.#update({ case: 'take', value: { force } });
  }

  async give({ note, to }: Pick<GiveRequest, 'note' | 'to'> = {}): Promise<void> {
    await this.#update({ case: 'give', value: defined({ note, to }) });
  }

  async resize(size: Size): Promise<void> {
    const { cols, rows } = checkSize(size);
    this.#request = { ...this.#request, size: { cols, rows } };
    await this.#update({ case: 'size', value: { cols, rows } });
  }

  async look(looking: boolean): Promise<void> {
    this.#request = { ...this.#request, looking };
    await this.#update({ case: 'looking', value: looking });
  }

  dispose(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#states.close();
    try {
      await this.#calls.close(this.id);
    } catch {
      // The coordinator is gone, or gives back when the stream ends.
    } finally {
      this.#cancel.abort();
    }
  }

  async #update(change: Change): Promise<void> {
    for (let tries = 1; this.#closing === null; tries++) {
      const opened = this.#opened;
      await opened;
      try {
        await this.#calls.update(this.id, change);
        return;
      } catch (error) {
        // The next coordinator knows it when its stream is open.
        if (this.#opened === opened || tries === maxTries) throw error;
      }
    }
  }

  /** Reads all states, so that the end of the stream is seen. */
  async #hold({ rest }: ViewStream): Promise<void> {
    try {
      for (;;) {
        const { done, value } = await rest.next();
        if (done) break;
        this.#states.set(fromViewResponse(value));
      }
      this.#states.close();
    } catch (thrown) {
      const error = this.#calls.toError(thrown);
      if (this.#calls.reopens && isInterruption(error)) this.#opened = this.#reopen();
      else this.#states.fail(error);
    }
  }

  async #reopen(): Promise<void> {
    if (this.#closing !== null) return;
    // Where the coordinator does not know it any more, it takes over from nobody.
    const as = this.#request.as === 'watch' && !this.#states.current.drives ? 'watch' : 'auto';
    try {
      const stream = await this.#calls.open({ ...this.#request, as }, this.#cancel.signal);
      this.#states.set(fromViewResponse(stream.first));
      void this.#hold(stream);
    } catch (error) {
      this.#states.fail(asVtrError(error));
    }
  }
}
