import { decodeUtf8, defined, encodeUtf8, joinBytes } from '#base';
import type { RecordFormat, Size } from '#model';
import {
  CastEncoder,
  type CastVersion,
  EventRedactor,
  type RecordedEvent,
  type RecordingHeader,
  redactHeader,
  redactText,
  type SecretRule,
} from '#recording';
import type { Session } from '#session';
import type { Moment } from '#watch';
import { castEvents, drawnBefore } from '../cast-events.ts';
import { EarlierState, Turns } from './earlier-state.ts';

/** Players shorten pauses to this time, in ms. The recording has them whole. */
const idleLimitMs = 2_000;
/** TERM of programs unless it is configured. */
const defaultTerm = 'xterm-256color';

/** Returns a recording up to a moment. @param rules for the secrets that are replaced */
export async function recordSession(
  session: Session,
  moment: Moment,
  format: RecordFormat,
  rules: readonly SecretRule[],
): Promise<Uint8Array> {
  switch (format) {
    case 'v3':
      return cast(session, moment, 3, rules);
    case 'v2':
      return cast(session, moment, 2, rules);
    case 'text':
      return text(session, moment, rules);
    case 'raw':
      return raw(moment, rules);
  }
}

async function cast(
  session: Session,
  moment: Moment,
  version: CastVersion,
  rules: readonly SecretRule[],
): Promise<Uint8Array> {
  const turns = new Turns();
  const encoder = new CastEncoder(version);
  const { size, wallMs } = (moment.segments[0] as Moment['segment']).begin;
  const parts = [headOf(session, { size, startedAtMs: wallMs }, version, rules)];
  for (const event of redacted(castEvents(moment), rules)) {
    const line = encodeUtf8(encoder.event(event));
    parts.push(line);
    await turns.worked(line.length);
  }
  return joinBytes(parts);
}

function* redacted(
  events: Iterable<RecordedEvent>,
  rules: readonly SecretRule[],
): Generator<RecordedEvent> {
  const redactor = new EventRedactor(rules);
  for (const event of events) yield* redactor.push(event);
  yield* redactor.end();
}

/** Returns the first line of a recording of a session. */
export function headOf(
  session: Session,
  { size, startedAtMs }: { readonly size: Size; readonly startedAtMs: number },
  version: CastVersion,
  rules: readonly SecretRule[],
): Uint8Array {
  const header = redactHeader(headerOf(session, size, startedAtMs), rules);
  return encodeUtf8(new CastEncoder(version).header(header));
}

function headerOf(session: Session, size: Size, startedAtMs: number): RecordingHeader {
  const { program, term = defaultTerm } = session.facts;
  return {
    size,
    startedAtMs,
    title: session.name,
    env: { TERM: term },
    idleLimitMs,
    // Arguments may contain secrets.
    ...defined({ command: program || undefined }),
  };
}

async function text(
  session: Session,
  moment: Moment,
  rules: readonly SecretRule[],
): Promise<Uint8Array> {
  const turns = new Turns();
  const lines = await (await EarlierState.at(session, moment, turns)).text(turns);
  const last = lines.findLastIndex((line) => line !== '');
  const whole = lines.slice(0, last + 1).map((line) => `${line}\n`);
  return encodeUtf8(redactText(whole.join(''), rules));
}

/**
 * Returns the output as it was written, after a dump of the screen. If it has secrets, invalid UTF-8 is replaced,
 * too.
 */
function raw(moment: Moment, rules: readonly SecretRule[]): Uint8Array {
  const bytes = rawBytes(moment);
  const [first] = moment.segments;
  if (first === undefined || rules.length === 0) return bytes;
  const { dump } = first.begin;
  const drawn = { text: decodeUtf8(dump), before: drawnBefore(first) };
  const rest = { text: decodeUtf8(bytes.subarray(dump.length)) };
  const outputs = [drawn, rest].map((each) => ({ ...each, atMs: 0, type: 'output' as const }));
  const shown = [...redacted(outputs, rules)].map((each) => ('text' in each ? each.text : ''));
  const text = shown.join('');
  return text === drawn.text + rest.text ? bytes : encodeUtf8(text);
}

function rawBytes({ segments, segment: last, ...end }: Moment): Uint8Array {
  const parts = segments.slice(0, 1).map(({ begin }) => begin.dump);
  for (const segment of segments) {
    for (const step of segment.steps(segment === last ? end : segment.end)) {
      if (step.type === 'output') parts.push(step.bytes);
    }
  }
  return joinBytes(parts);
}
