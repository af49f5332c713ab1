import { defined } from '#base';
import type { CastTheme, CastVersion, RecordedEvent, RecordingHeader } from './recording.ts';

/** The characters that begin a comment of vtr. */
export const notePrefix = '# vtr ';

const codes = { output: '"o"', input: '"i"', marker: '"m"', resize: '"r"', exit: '"x"' } as const;

/**
 * Encodes a recording as asciicast, line by line. Each line ends with a line feed. Version 3 gives the
 * time since the event before, in ms; what rounding adds or removes is made up for by the next
 * interval, so that no time is off by more than half a millisecond.
 */
export class CastEncoder {
  readonly #version: CastVersion;
  /** The time of the events so far, as a reader computes it, in ms. */
  #writtenMs: number;

  /** @param writtenMs continues a recording whose last event has this time */
  constructor(version: CastVersion, writtenMs = 0) {
    this.#version = version;
    this.#writtenMs = writtenMs;
  }

  /** See {@link CastEncoder}. */
  get writtenMs(): number {
    return this.#writtenMs;
  }

  header(header: RecordingHeader): string {
    const { size, startedAtMs, idleLimitMs, theme, title, command } = header;
    const form =
      this.#version === 2
        ? { version: 2, width: size.cols, height: size.rows }
        : { version: 3, term: { cols: size.cols, rows: size.rows, ...termOf(header) } };
    return line({
      ...form,
      ...(startedAtMs === undefined ? {} : { timestamp: Math.floor(startedAtMs / 1000) }),
      ...(idleLimitMs === undefined ? {} : { idle_time_limit: idleLimitMs / 1000 }),
      command,
      title,
      env: this.#version === 2 ? envWithTerm(header) : header.env,
      ...(this.#version === 2 && theme !== undefined ? { theme: themeOf(theme) } : {}),
      ...(this.#version === 2 ? {} : { tags: header.tags }),
    });
  }

  /** Returns the line of an event; empty if the version has none for it. */
  event(event: RecordedEvent): string {
    if (event.type === 'note') {
      return this.#version === 2 ? '' : `${notePrefix}${json(event.note)}\n`;
    }
    if (event.type === 'exit' && this.#version === 2) return '';
    const code = event.type === 'other' ? json(event.code) : codes[event.type];
    return `[${this.#time(event.atMs)}, ${code}, ${json(dataOf(event))}]\n`;
  }

  /** Returns the line of an event with output up to the quote that begins its text. */
  outputHead(atMs: number): string {
    return `[${this.#time(atMs)}, ${codes.output}, "`;
  }

  #time(atMs: number): string {
    if (this.#version === 2) {
      this.#writtenMs = atMs;
      return (atMs / 1000).toFixed(6);
    }
    const sinceMs = Math.max(0, Math.round(atMs - this.#writtenMs));
    this.#writtenMs += sinceMs;
    return (sinceMs / 1000).toFixed(3);
  }
}

function dataOf(event: Exclude<RecordedEvent, { readonly type: 'note' }>): string {
  switch (event.type) {
    case 'resize':
      return `${event.size.cols}x${event.size.rows}`;
    case 'marker':
      return event.label;
    case 'exit':
      return String(event.status);
    case 'other':
      return event.data;
    default:
      return event.text;
  }
}

const envWithTerm = ({ env, termType }: RecordingHeader): RecordingHeader['env'] =>
  termType === undefined ? env : { ...env, TERM: termType };

function termOf({ env, theme, termType, termVersion }: RecordingHeader) {
  const type = termType ?? env?.['TERM'];
  return defined({ type, version: termVersion, theme: theme && themeOf(theme) });
}

const themeOf = ({ foreground, background, palette }: CastTheme) => ({
  fg: hex(foreground),
  bg: hex(background),
  palette: palette.map(hex).join(':'),
});

const hex = (rgb: number): string => `#${rgb.toString(16).padStart(6, '0')}`;

const line = (value: object): string => `${json(value)}\n`;

const controls = /[\x7f-\x9f]/g;

/** JSON may contain these control characters, which a terminal that shows the file would execute. */
export const json = (value: unknown): string =>
  JSON.stringify(value).replace(controls, (each) => `\\u00${each.charCodeAt(0).toString(16)}`);
