import type { Attention, SessionEvent } from '#model';
import type { Session, SessionView } from '#session';
import { evidenceOf } from './evidence.ts';

/** The kinds that a program announces itself, the one that tells most first. */
const kinds = ['notification', 'done', 'bell'] as const;
type SignalKind = (typeof kinds)[number];

/** A bell this soon after a key is the program's answer to it: nothing to complete, the end of the text. */
const answerMs = 1_000;
/** The same if nothing else was printed since, as of a shell on a machine that is busy. */
const lateAnswerMs = 10_000;

/**
 * What the program of a session has announced since the last input: bells, notifications, and that its
 * progress is complete. It is kept for every session, watched or not, and needs no timer.
 */
export class SessionSignals {
  readonly #session: Session;
  readonly #last = new Map<SignalKind, Attention>();
  /** How often input had been sent at the last signal. */
  #inputs = 0;
  #hasProgress = false;

  constructor(session: Session) {
    this.#session = session;
    // For as long as the session exists.
    session.view.onEvent((event) => this.#note(event));
  }

  /** The signal since the last input that tells most; null if there is none. */
  get current(): Attention | null {
    if (this.#session.view.inputCount !== this.#inputs) return null;
    const kind = kinds.find((each) => this.#last.has(each));
    return (kind && this.#last.get(kind)) ?? null;
  }

  #note(event: SessionEvent): void {
    const { atMs } = event;
    switch (event.type) {
      case 'bell':
        if (!answersKey(this.#session.view, atMs))
          this.#add('bell', atMs, this.#about('rang the bell'));
        break;
      case 'notification': {
        const text = [event.title, event.body].filter((each) => each !== '').join(': ');
        this.#add('notification', atMs, text || this.#about('sent a notification'));
        break;
      }
      case 'progress':
        this.#noteProgress(event.state !== 'none' && event.percent !== 100, atMs);
    }
  }

  #noteProgress(hasProgress: boolean, atMs: number): void {
    if (this.#hasProgress && !hasProgress) this.#add('done', atMs, this.#about('is complete'));
    this.#hasProgress = hasProgress;
  }

  #about(what: string): string {
    // All events of a chunk are published after it: the command may have ended.
    const [command] = this.#session.commands({ last: 1 }).commands;
    const isNew = command?.to == null || command.to.offset >= this.#session.view.lastInputAt;
    const isKnown = isNew && command?.unverified !== true;
    return `${(isKnown && command?.line) || 'the program'} ${what}`;
  }

  #add(kind: SignalKind, sinceMs: number, text: string): void {
    const { inputCount } = this.#session.view;
    if (inputCount !== this.#inputs) this.#last.clear();
    this.#inputs = inputCount;
    this.#last.set(kind, { kind, sinceMs, evidence: evidenceOf(text) });
  }
}

/** A line that was typed starts a program, whose bell is its own. */
function answersKey(view: SessionView, atMs: number): boolean {
  const { lastInputAtMs, lastInputAt, outputEnd, inputs, terminal } = view;
  if (lastInputAtMs === null) return false;
  const text = inputs.at(-1)?.text ?? '';
  // A bell or an echo is one byte.
  const isOnlyAnswer = outputEnd - lastInputAt <= text.length;
  if (atMs - lastInputAtMs >= (isOnlyAnswer ? lateAnswerMs : answerMs)) return false;
  return terminal.alternate || !/[\r\n]$/.test(text);
}
