import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { cleanLine } from '#base';
import {
  type Attention,
  attentionClause,
  attentionClauses,
  attentionReason,
  type SessionInfo,
  VtrError,
} from '#model';
import type { Context } from '../context.ts';

/** A session wants somebody who does not see it. */
export interface Notice {
  readonly title: string;
  /** One line. */
  readonly text: string;
  /** The id of the session; empty for several. */
  readonly id: string;
}

/** Attention that lasts this long, in ms, is told: an agent may type on at once. */
const settleMs = 1_000;

interface Known {
  info: SessionInfo;
  /** The attention that was told, or needs not be told. */
  told: Attention | null;
  /** When the present attention was first seen. */
  seenMs: number;
}

/**
 * Decides what to tell: each beginning of an attention once, if the session is not in view then. What
 * there is at the beginning is not told.
 */
export class Notices {
  readonly #known = new Map<string, Known>();
  /** The session in which this runs, which must not tell about itself; null if it is in none. */
  readonly #ownId: string | null;

  constructor(ownId: string | null) {
    this.#ownId = ownId;
  }

  /** Notes a session. @param isFirst whether it was listed when the watch began */
  note(info: SessionInfo, isFirst: boolean, nowMs: number): void {
    const before = this.#known.get(info.id);
    if (before === undefined) {
      const attention = isFirst ? (info.attention ?? null) : null;
      this.#known.set(info.id, { info, told: attention, seenMs: nowMs });
      return;
    }
    if (!isSame(before.info.attention, info.attention)) before.seenMs = nowMs;
    before.info = info;
  }

  /** Whether a notice is still true: its session wants somebody for that reason, and nobody looks at it. */
  isCurrent({ id, text }: Notice): boolean {
    const info = this.#known.get(id)?.info;
    return info !== undefined && !isInView(info) && attentionReason(info) === text;
  }

  remove(id: string): void {
    this.#known.delete(id);
  }

  /** Its coordinator ended. If it comes back, what was told is not told again. */
  lose(id: string): void {
    const session = this.#known.get(id);
    if (session === undefined) return;
    const { attention: _none, ...info } = session.info;
    session.info = info;
  }

  /** Returns what is to be told now. @param nameOf a session's name, with its coordinator if needed */
  due(nowMs: number, nameOf: (info: SessionInfo) => string): Notice[] {
    return [...this.#known.values()].flatMap((session) => {
      const { info, told, seenMs } = session;
      const { attention } = info;
      if (attention === undefined || isSame(told ?? undefined, attention)) return [];
      const isSeen = isInView(info);
      if (!isSeen && nowMs - seenMs < settleMs) return [];
      session.told = attention;
      if (isSeen || info.id === this.#ownId || isOfNotices(attention)) return [];
      return [{ title: `${nameOf(info)} ${attentionClause(info)}`, text: attentionReason(info), id: info.id }];
    });
  }

  /** When {@link due} may have more, in ms from now; null if that depends on events only. */
  nextMs(nowMs: number): number | null {
    const waiting = [...this.#known.values()].filter(
      ({ info, told }) => info.attention && !isSame(told ?? undefined, info.attention),
    );
    if (waiting.length === 0) return null;
    return Math.max(0, Math.min(...waiting.map(({ seenMs }) => seenMs + settleMs - nowMs)));
  }
}

const isInView = ({ viewers = [] }: SessionInfo): boolean =>
  viewers.some(({ away = false }) => !away);

const isSame = (a: Attention | undefined, b: Attention | undefined): boolean =>
  a?.kind === b?.kind && a?.sinceMs === b?.sinceMs && a?.evidence === b?.evidence;

/** A notification of `vtr notify` in another session: two of them would tell each other for ever. */
const ofNotices = new RegExp(
  `^\\S+ (?:${[...Object.values(attentionClauses), 'asks'].join('|')}): `,
);

const isOfNotices = ({ kind, evidence }: Attention): boolean =>
  kind === 'notification' && ofNotices.test(evidence);

/**
 * Tells a person. Returns why it was told in another way than it should be; null if it was not.
 *
 * @throws Error if it was not told
 */
export type Tell = (notice: Notice) => Promise<string | null>;

const program = 'notify-send';
/** The longest title or text, in UTF-16 code units. */
const maxPart = 1000;
/** The time in which a notification service answers, in ms. */
const answerMs = 10_000;

/**
 * Returns how to tell: as requested, else by the desktop if there is one, by the terminal, or by lines on
 * stdout.
 *
 * @throws VtrError PROGRAM_NOT_FOUND if the desktop is requested and notify-send is missing
 */
export function tellBy(context: Context, how: 'desktop' | 'osc' | undefined): Tell {
  const osc: Tell = async (notice) => {
    context.draw(oscOf(notice));
    return null;
  };
  const line: Tell = async ({ title, text }) => {
    context.out(`${title}: ${text}\n`);
    return null;
  };
  if (how === 'osc') return osc;
  const isInstalled = hasProgram(context);
  if (how === 'desktop') {
    if (isInstalled) return (notice) => tellDesktop(context, notice);
    throw new VtrError('PROGRAM_NOT_FOUND', `${program} is not installed; use --osc`, {
      details: { program },
    });
  }
  const other = context.isTerminal ? osc : line;
  if (!isInstalled || !hasDesktop(context)) return other;
  return (notice) =>
    tellDesktop(context, notice).catch(async ({ message }: Error) => {
      await other(notice);
      return message;
    });
}

/** OSC 777 of rxvt-unicode, which most terminals know. The title ends at a semicolon. */
export const oscOf = ({ title, text }: Pick<Notice, 'title' | 'text'>): string => {
  const [head, body] = [title.replaceAll(';', ','), text].map((part) => cleanLine(part, maxPart));
  return `\x1b]777;notify;${head};${body}\x1b\\`;
};

/** Every user of the machine can read the arguments of a program, so secrets are left out. */
async function tellDesktop({ env }: Context, { title, text: whole }: Notice): Promise<null> {
  const { redactText, secretRules } = await import('#app/recordings');
  const text = redactText(whole, secretRules(env, []));
  // Its body is markup, by the Desktop Notifications Specification.
  const body = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  const args = ['--app-name=vtr', '--', ...[title, body].map((part) => cleanLine(part, maxPart))];
  await new Promise<void>((resolve, reject) => {
    execFile(program, args, { env: { ...env }, timeout: answerMs }, (error, _out, stderr) => {
      if (error === null) resolve();
      else reject(new Error(`${program}: ${stderr.trim() || error.message}`));
    });
  });
  return null;
}

const hasDesktop = ({ env }: Context): boolean =>
  ['DBUS_SESSION_BUS_ADDRESS', 'WAYLAND_DISPLAY', 'DISPLAY'].some((name) => env[name]);

function hasProgram({ env }: Context): boolean {
  const directories = (env['PATH'] ?? '').split(delimiter).filter((each) => each !== '');
  return directories.some((directory) => {
    try {
      accessSync(join(directory, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
