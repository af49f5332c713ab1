import type { IncomingMessage } from 'node:http';
import type { Clock } from '#base';
import type { Refusal, RefusedFor } from './answers.ts';
import { pathOf } from './request-handler.ts';

/** A request or a call that was refused for the safety of the sessions. */
export interface RefusedRequest {
  /** `share`: a visitor with a share. */
  readonly kind: 'web' | 'share';
  readonly lacks: RefusedFor;
  /** As the client gives them: texts of an attacker. Undefined ones are unknown. */
  readonly details: Readonly<Record<string, string | number | boolean | undefined>>;
  /** Refused since the one before, and not told. */
  readonly untold: number;
}

const windowMs = 60_000;
/** The most that are told within that time: a page of another site can make thousands. */
const maxTold = 20;

/** Tells of requests that were refused, and counts those of a flood. */
export class Refusals {
  readonly #clock: Clock;
  readonly #tell: (refused: RefusedRequest) => void;
  /** When they were told, monotonic, in ms. */
  #told: number[] = [];
  #untold = 0;

  constructor(clock: Clock, tell: (refused: RefusedRequest) => void) {
    this.#clock = clock;
    this.#tell = tell;
  }

  /** A request was answered with a refusal. A refusal that does not concern safety is not reported. */
  request({ lacks, details }: Refusal, request: IncomingMessage): void {
    if (lacks === undefined) return;
    const { host, origin } = request.headers;
    // The query can have the secret of a share.
    const path = pathOf(request) ?? undefined;
    this.#add('web', lacks, {
      ...{ path, host, origin, address: request.socket.remoteAddress },
      ...details,
    });
  }

  /** A call was refused. @param share the id of its share; null for the page itself */
  call(method: string, share: string | null): void {
    this.#add(share === null ? 'web' : 'share', 'scope', { method, share: share ?? undefined });
  }

  #add(kind: 'web' | 'share', lacks: RefusedFor, details: RefusedRequest['details']): void {
    const nowMs = this.#clock.nowMs();
    this.#told = this.#told.filter((atMs) => atMs > nowMs - windowMs);
    if (this.#told.length >= maxTold) {
      this.#untold++;
      return;
    }
    this.#told.push(nowMs);
    const untold = this.#untold;
    this.#untold = 0;
    this.#tell({ kind, lacks, details, untold });
  }
}
