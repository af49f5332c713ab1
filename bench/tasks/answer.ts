import { performance } from 'node:perf_hooks';
import { setImmediate } from 'node:timers/promises';
import type { WaitOutcome, WaitRequest } from '#model';
import { percentile } from '../measuring/statistics.ts';
import type { Task } from '../measuring/task.ts';
import { logLines } from '../payloads/log-lines.ts';
import { HandFedSession } from './hand-fed-session.ts';

export type AwaitedThing = 'match' | 'screen' | 'finished';

export interface AnswerRequest {
  readonly task: 'answer';
  readonly awaits: AwaitedThing;
  /** Lines of a log in the chunk before the awaited text. */
  readonly linesBefore: number;
  /** Waits without a match, spread over a hundred sessions, including the measured one. */
  readonly others: number;
}

/** From the delivery of the chunk to the result of the wait. */
export interface AnswerCost {
  readonly p50Ms: number;
  readonly p99Ms: number;
}

const size = { cols: 80, rows: 24 };
const lines = 10_000;
const sessions = 100;
const warmUpPasses = 100;

/** The marks of a shell before its first prompt and before a command. */
const mark = (name: string) => `\x1b]133;${name};nonce=n.1\x07`;
const prompt = `${mark('A')}$ ${mark('B')}`;
const commandBegins = `make\r\n${mark('C')}`;

/** Waits on sessions without a program, whose output the task writes. */
export class AnswerTask implements Task<AnswerCost> {
  readonly #request: AnswerRequest;
  readonly #session: HandFedSession;
  readonly #others: HandFedSession[];
  readonly #noise: string;

  constructor(request: AnswerRequest) {
    this.#request = request;
    const count = request.others > 0 ? sessions : 1;
    const fedSessions = Array.from(
      { length: count },
      (_, at) => new HandFedSession(`s${at}`, size),
    );
    this.#session = fedSessions[0] as HandFedSession;
    this.#others = fedSessions;
    this.#session.feed(logLines(lines, size.cols).join('\r\n'));
    this.#session.feed(`\r\n${prompt}`);
    this.#noise = logLines(request.linesBefore, size.cols)
      .map((line) => `${line}\r\n`)
      .join('');
  }

  async round(passes: number): Promise<AnswerCost> {
    this.#waitBeside();
    for (let pass = 0; pass < Math.min(passes, warmUpPasses); pass++) await this.#pass(-pass);
    const samples: number[] = [];
    for (let pass = 1; pass <= passes; pass++) samples.push(await this.#pass(pass));
    return { p50Ms: percentile(samples, 0.5), p99Ms: percentile(samples, 0.99) };
  }

  async #pass(pass: number): Promise<number> {
    this.#session.feed(commandBegins);
    const { request, outcome } = awaited(this.#request.awaits, pass);
    const wait = this.#session.wait(request);
    const chunk = Buffer.from(`${this.#noise}built ${pass}.\r\n${mark('D;0')}${prompt}`);
    // A read starts an iteration of the event loop.
    await setImmediate();
    const begin = performance.now();
    this.#session.feed(chunk);
    const result = await wait;
    const ms = performance.now() - begin;
    if (result.outcome !== outcome) throw new Error(`the wait says ${result.outcome}`);
    return ms;
  }

  /** They end with the process. */
  #waitBeside(): void {
    for (let at = 0; at < this.#request.others; at++) {
      const session = this.#others[at % this.#others.length] as HandFedSession;
      session.wait({ ...idleRequests[at % idleRequests.length], timeoutMs: 600_000 });
    }
  }
}

function awaited(
  thing: AwaitedThing,
  pass: number,
): { request: WaitRequest; outcome: WaitOutcome } {
  const pattern = `^built ${pass}\\.$`;
  switch (thing) {
    case 'match':
      return { request: { match: [pattern] }, outcome: 'matched' };
    case 'screen':
      return { request: { screen: [pattern] }, outcome: 'matched' };
    case 'finished':
      return { request: { finished: true }, outcome: 'finished' };
  }
}

/** Waits of several kinds that never match. */
export const idleRequests: readonly WaitRequest[] = [
  { match: ['^panic: (.*)$'] },
  { match: ['listening on (\\d+)'], stop: ['EADDRINUSE', 'fatal error'] },
  { screen: ['Are you sure'] },
  { match: ['FAILED'], title: 'done' },
  { screen: ['^Password:'], match: ['segmentation fault'] },
];
