import { signal } from '@preact/signals';
import { ignored } from '#base';
import { checkFileSize, type SessionInfo } from '#model';
import type { SessionAction } from '../actions/session-actions.ts';
import { type Calls, errorText } from '../link/link.ts';
import type { App } from '../page/app.ts';
import { say } from '../page/notices.tsx';
import { SendingPace } from './sending-pace.ts';

/** The most files that are sent together. */
const maxFiles = 20;

/** A file that is being sent, in bytes. */
interface Sending {
  readonly name: string;
  readonly done: number;
  readonly total: number;
}

interface FileSendingOptions {
  readonly link: Calls;
  readonly sessionId: string;
  /** Returns why nothing can be typed now; null if it can. */
  readonly problem: () => string | null;
  /** Types the path of a file on the machine of the session. */
  readonly type: (path: string) => void;
}

/** Sends files of a person to the machine of a session, one after the other, and types their paths. */
export class FileSending {
  readonly now = signal<Sending | null>(null);
  readonly #options: FileSendingOptions;
  #isCancelled = false;

  constructor(options: FileSendingOptions) {
    this.#options = options;
  }

  /** Sends files. What is not sent is told. */
  async send(files: readonly File[]): Promise<void> {
    const problem = this.now.value === null ? this.#problem(files) : 'another file is being sent';
    if (problem !== null) {
      say(`Not sent: ${problem}`);
      return;
    }
    this.#isCancelled = false;
    for (const [at, file] of files.entries()) {
      try {
        const path = await this.#send(file);
        if (path === null) break;
        this.#options.type(`${at > 0 ? ' ' : ''}${path}`);
      } catch (error) {
        say(`Not sent: ${file.name}: ${errorText(error)}`);
        break;
      }
    }
    this.now.value = null;
  }

  cancel(): void {
    this.#isCancelled = true;
  }

  /** Lets the person choose files; on a phone also photos and the camera. */
  choose(): void {
    const input = document.createElement('input');
    input.type = 'file';
    input.multiple = true;
    input.onchange = () => void this.send([...(input.files ?? [])]);
    input.click();
  }

  #problem(files: readonly File[]): string | null {
    if (files.length > maxFiles) return `at most ${maxFiles} files are sent together`;
    for (const { name, size } of files) {
      try {
        checkFileSize(size);
      } catch (error) {
        return `${name}: ${errorText(error)}`;
      }
    }
    return this.#options.problem();
  }

  /**
   * Sends as many parts as the line takes before the first of them is answered.
   *
   * @returns the path; null if the person has cancelled it
   */
  async #send(file: File): Promise<string | null> {
    const { link, sessionId } = this.#options;
    const { name, size: total } = file;
    const id = crypto.getRandomValues(new Uint32Array(2)).join('-');
    const pace = new SendingPace();
    const answers = new Set<Promise<void>>();
    let [done, path]: [number, string | null] = [0, null];
    for (let at = 0; at < total || at === 0; ) {
      this.now.value = { name, done, total };
      const bytes = Math.min(pace.partBytes, total - at);
      while (answers.size > 0 && pace.room < bytes) await Promise.race(answers);
      const data = await base64Of(file.slice(at, at + bytes));
      if (this.#isCancelled) break;
      const first = at === 0 && { file: { sessionId, name, bytes: total } };
      const onAnswer = pace.send(bytes, performance.now());
      const answer = link
        .sendFile({ id, data, ...first })
        .then((part) => {
          done += bytes;
          path = part.path ?? path;
        })
        .finally(() => {
          onAnswer(performance.now());
          answers.delete(answer);
        });
      // It is awaited as one of all.
      ignored(answer, 'the first that fails ends the file');
      answers.add(answer);
      at += Math.max(1, bytes);
    }
    while (answers.size > 0 && !this.#isCancelled) {
      this.now.value = { name, done, total };
      await Promise.race(answers);
    }
    if (path === null) await link.sendFile({ id, isCancelled: true });
    return path;
  }
}

/** The action that sends files to a session, where its terminal is shown and the person may type. */
export const sendActions = (
  { me }: App,
  { state }: SessionInfo,
  pane: { readonly files: FileSending } | null,
): SessionAction[] =>
  pane !== null && me.write && state !== 'exited'
    ? [{ name: 'Send a file…', run: () => pane.files.choose() }]
    : [];

/** @throws Error for a directory, or a file that has changed */
const base64Of = (part: Blob): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).split(',')[1] ?? '');
    reader.onerror = () => reject(new Error('it cannot be read. Is it a directory?'));
    reader.readAsDataURL(part);
  });
