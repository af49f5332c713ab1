import { cleanLine, decodeUtf8, encodeUtf8 } from '#base';
import type { ProgramStatus, StatusState } from '#model';
import { decodeBase64, encodeBase64 } from './base64.ts';

/** The longest report, in UTF-16 code units. */
const maxReport = 4096;
const maxRecords = 256;
/** The limit of the texts of all records together, in UTF-16 code units; further ones are ignored. */
const maxTexts = 64 * 1024;
/** Of decoded texts, in bytes. */
const maxMessageBytes = 2048;
const maxTitleBytes = 192;

const states: readonly string[] = ['idle', 'working', 'blocked', 'done', 'error'];
const kinds: readonly string[] = ['permission', 'question', 'auth'];
const appForm = /^[A-Za-z0-9_.+-]{1,32}$/;
const idForm = /^(?=.{1,128}$)[A-Za-z0-9_.+-]+(?:\/[A-Za-z0-9_.+-]+){0,7}$/;
const controls = /[\0-\x1f\x7f-\x9f]/;

const isState = (text: string | undefined): text is StatusState => states.includes(text ?? '');
const isKind = (text: string | undefined): text is NonNullable<ProgramStatus['kind']> =>
  kinds.includes(text ?? '');

/**
 * What programs say that they do: records of the Program Status Protocol, revision 0.2, by the path of their task.
 * A report replaces the record of its task.
 */
export class ProgramStatuses {
  readonly #records = new Map<string, ProgramStatus>();

  /** The record of the program itself first, then those of its tasks in the order of their first reports. */
  get all(): readonly ProgramStatus[] {
    const root = this.#records.get('');
    const tasks = [...this.#records.values()].filter(({ id }) => id !== '');
    return root === undefined ? tasks : [root, ...tasks];
  }

  /**
   * Applies `key=value:key=value`. A pair that is not valid is skipped. A report without a state, with a text that is
   * not valid, or over a limit is ignored.
   */
  report(text: string, offset: number): void {
    if (text.length > maxReport) return;
    const pairs = new Map(text.split(':').flatMap(splitPair));
    const id = pairs.get('id') ?? '';
    if (id !== '' && !idForm.test(id)) return;
    const state = pairs.get('state');
    if (state === 'clear') this.#clear(id);
    if (!isState(state)) return;
    const message = textOf(pairs.get('msg'), maxMessageBytes);
    const title = textOf(pairs.get('title'), maxTitleBytes);
    const isFull = this.#records.size >= maxRecords && !this.#records.has(id);
    if (message === null || title === null || isFull) return;
    if (this.#textsBeside(id) + message.length + title.length > maxTexts) return;
    const kind = pairs.get('kind');
    const app = pairs.get('app') ?? '';
    this.#records.set(id, {
      id,
      state,
      kind: state === 'blocked' && isKind(kind) ? kind : null,
      app: appForm.test(app) ? app : null,
      progress: progressOf(pairs.get('progress')),
      message,
      title,
      offset,
    });
  }

  /** The length of the texts of all other records. */
  #textsBeside(id: string): number {
    let sum = 0;
    for (const each of this.#records.values()) {
      if (each.id !== id) sum += each.message.length + each.title.length;
    }
    return sum;
  }

  /** A new prompt, or the end of the program: it works no longer, and asks nothing. */
  settle(): void {
    for (const { id, state } of this.#records.values()) {
      if (state === 'working' || state === 'blocked') this.#records.delete(id);
    }
  }

  /** Removes a record and those of the tasks below it. */
  #clear(id: string): void {
    for (const key of this.#records.keys()) {
      if (id === '' || key === id || key.startsWith(`${id}/`)) this.#records.delete(key);
    }
  }

  /** Appends the sequences that report the same. */
  dump(parts: string[]): void {
    for (const { id, state, kind, app, progress, message, title } of this.#records.values()) {
      const pairs = [
        `state=${state}`,
        ...(id === '' ? [] : [`id=${id}`]),
        ...(kind === null ? [] : [`kind=${kind}`]),
        ...(app === null ? [] : [`app=${app}`]),
        ...(progress === null ? [] : [`progress=${progress}`]),
        ...(message === '' ? [] : [`msg=${encodeBase64(encodeUtf8(message))}`]),
        ...(title === '' ? [] : [`title=${encodeBase64(encodeUtf8(title))}`]),
      ];
      parts.push(`\x1b]7501;${pairs.join(':')}\x1b\\`);
    }
  }
}

function splitPair(pair: string): [key: string, value: string][] {
  const at = pair.indexOf('=');
  return at < 0 ? [] : [[pair.slice(0, at), pair.slice(at + 1)]];
}

const progressOf = (text: string | undefined): number | null =>
  text !== undefined && /^\d{1,3}$/.test(text) && Number(text) <= 100 ? Number(text) : null;

/** Returns the text of a value, empty if there is none; null if it is not valid. */
function textOf(value: string | undefined, maxBytes: number): string | null {
  if (value === undefined) return '';
  const bytes = decodeBase64(value);
  if (bytes === null || bytes.length > maxBytes) return null;
  const text = decodeUtf8(bytes);
  return controls.test(text) ? null : cleanLine(text, maxBytes);
}
