import { encodeUtf8 } from '#base';
import type { RecordFormat } from '#model';
import { CastEncoder, type CastVersion, type RecordingHeader } from '#recording';
import type { Session } from '#session';
import type { Moment } from '#watch';
import { castEvents } from './cast-events.ts';
import { EarlierState } from './earlier-state.ts';
import { Turns } from './turns.ts';

/** Players shorten pauses to this time, in ms. The recording has them whole. */
const idleLimitMs = 2_000;
/** TERM of programs unless it is configured. */
const defaultTerm = 'xterm-256color';

/** Returns a recording up to a moment. */
export async function recordSession(
  session: Session,
  moment: Moment,
  format: RecordFormat,
): Promise<Uint8Array> {
  switch (format) {
    case 'v3':
      return cast(session, moment, 3);
    case 'v2':
      return cast(session, moment, 2);
    case 'text':
      return text(session, moment);
    case 'raw':
      return raw(moment);
  }
}

async function cast(session: Session, moment: Moment, version: CastVersion): Promise<Uint8Array> {
  const turns = new Turns();
  const encoder = new CastEncoder(version);
  const parts = [encodeUtf8(encoder.header(headerOf(session, moment)))];
  for (const event of castEvents(moment)) {
    const line = encodeUtf8(encoder.event(event));
    parts.push(line);
    await turns.worked(line.length);
  }
  return joined(parts);
}

function headerOf(session: Session, { segments }: Moment): RecordingHeader {
  const { size, wallMs } = (segments[0] as Moment['segment']).begin;
  const { program, term = defaultTerm } = session.facts;
  return {
    ...{ size, startedAtMs: wallMs, title: session.name, env: { TERM: term }, idleLimitMs },
    // Arguments may contain secrets.
    ...(program === '' ? {} : { command: program }),
  };
}

async function text(session: Session, moment: Moment): Promise<Uint8Array> {
  const turns = new Turns();
  const lines = await (await EarlierState.at(session, moment, turns)).text(turns);
  const last = lines.findLastIndex((line) => line !== '');
  return encodeUtf8(lines.slice(0, last + 1).map((line) => `${line}\n`).join(''));
}

/** The output as it was written, after a dump of the screen. */
function raw({ segments, segment: last, ...end }: Moment): Uint8Array {
  const parts = segments.slice(0, 1).map(({ begin }) => begin.dump);
  for (const segment of segments) {
    for (const step of segment.steps(segment === last ? end : segment.end)) {
      if (step.type === 'output') parts.push(step.bytes);
    }
  }
  return joined(parts);
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
