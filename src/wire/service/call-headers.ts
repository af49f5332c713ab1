import { readFileSync, readlinkSync } from 'node:fs';
import { machineClock, machineMs, quoted } from '#base';
import { lateReason, VtrError } from '#model';

/**
 * Until when a call may be carried out: a call that its client has given up must have no effect later, when
 * a process that was suspended continues.
 */
export interface StartLimit {
  /** From the sending of the call, in ms. */
  readonly withinMs: number;
  /** The same moment on the clock of one side, in ms; see {@link machineMs}. */
  readonly untilMs: number;
}

/** For a call that may be carried out at any time. */
export const noLimit: StartLimit = { withinMs: 2 ** 32 - 1, untilMs: Number.POSITIVE_INFINITY };

/** The header of HTTP for a {@link StartLimit}; see {@link encodeStartLimit}. */
export const startLimitHeader = 'vtr-start-by';

let ownClock: string | null = null;

/**
 * The name of the clock that {@link machineMs} reads: two processes with the same name read the same time. The
 * system's boot id, and the time namespace, which has its own offset; empty where there are none.
 */
export function clockName(): string {
  if (ownClock === null) {
    try {
      const bootId = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
      const namespace = /\d+/.exec(readlinkSync('/proc/self/ns/time')) ?? '';
      ownClock = [bootId, namespace, ...(machineClock() === 'deno' ? ['deno'] : [])].join('/');
    } catch {
      ownClock = '';
    }
  }
  return ownClock;
}

/** Returns the limit of a call that is sent now. */
export const startWithin = (withinMs: number): StartLimit => ({
  withinMs,
  untilMs: machineMs() + withinMs,
});

/** `2300 123456.789 CLOCK`: the time in ms, and the same on the clock of that name, if there is one. */
export function encodeStartLimit({ withinMs, untilMs }: StartLimit): string {
  const clock = clockName();
  const within = Math.ceil(withinMs);
  return clock === '' ? `${within}` : `${within} ${untilMs.toFixed(3)} ${clock}`;
}

const headerPattern = /^(\d{1,10})(?: (\d{1,15}(?:\.\d{1,9})?) (\S{1,128}))?$/;

/**
 * Reads the value of {@link startLimitHeader}. The time counts from now if the client's clock is another:
 * it runs on another machine.
 *
 * @throws VtrError INVALID_ARGUMENT
 */
export function decodeStartLimit(text: string): StartLimit {
  const [, within, until, clock = ''] = headerPattern.exec(text) ?? [];
  if (within === undefined) {
    throw new VtrError(
      'INVALID_ARGUMENT',
      `the header ${startLimitHeader} is ${quoted(text)}; it has ms, and optionally a time in ms and the name of its clock`,
    );
  }
  return arrived({ withinMs: Number(within), untilMs: Number(until) }, clock);
}

/** Returns a limit on the clock of this process. @param clock the name of that of the client */
export const arrived = (limit: StartLimit, clock: string): StartLimit =>
  clock !== '' && clock === clockName() ? limit : startWithin(limit.withinMs);

/** Whether a call may still be carried out. */
export const isInTime = ({ untilMs }: StartLimit): boolean => machineMs() <= untilMs;

/** @throws VtrError UNAVAILABLE if a call must not be carried out any more */
export function checkStartLimit({ withinMs, untilMs }: StartLimit): void {
  const lateMs = machineMs() - untilMs;
  if (lateMs <= 0) return;
  const tookMs = withinMs + lateMs;
  throw new VtrError(
    'UNAVAILABLE',
    `the call was not carried out: it came ${seconds(tookMs)} after it was sent, and its client waits for ${seconds(withinMs)}; the coordinator or the client was suspended, or the machine is overloaded`,
    { details: { reason: lateReason } },
  );
}

const seconds = (ms: number): string => `${(ms / 1e3).toFixed(1)} s`;

/** Sent within this time, in ms, a call cannot have waited for a process that was suspended. */
const freshMs = 100;

/** Whether a call was just sent. */
export const isFresh = ({ withinMs, untilMs }: StartLimit): boolean =>
  machineMs() - (untilMs - withinMs) < freshMs;

/** The header of HTTP with the client's version of vtr. Unknown fields of a newer one are ignored. */
export const versionHeader = 'vtr-version';

/** The header of HTTP with fields that must not be ignored, separated by commas. */
export const neededHeader = 'vtr-needs';

/** The header of HTTP with the kind of client, for the audit trail; see `Client.kind`. */
export const clientHeader = 'vtr-client';
