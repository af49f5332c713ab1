import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { cleanLine } from '#base';
import { VtrError } from '#model';
import type { Context } from '../context.ts';
import type { Notice } from './notices.ts';

/** Tells a person. @throws Error if that did not work */
export type Tell = (notice: Notice) => Promise<void>;

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
  const osc: Tell = async (notice) => context.draw(oscOf(notice));
  const line: Tell = async ({ title, text }) => context.out(`${title}: ${text}\n`);
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
  return (notice) => tellDesktop(context, notice).catch(() => other(notice));
}

/** OSC 777 of rxvt-unicode, which most terminals know. The title ends at a semicolon. */
export const oscOf = ({ title, text }: Notice): string => {
  const [head, body] = [title.replaceAll(';', ','), text].map((part) => cleanLine(part, maxPart));
  return `\x1b]777;notify;${head};${body}\x1b\\`;
};

/** Every user of the machine can read the arguments of a program, so secrets are left out. */
async function tellDesktop({ env }: Context, { title, text: whole }: Notice): Promise<void> {
  const { redactText, secretRules } = await import('#app/recordings');
  const text = redactText(whole, secretRules(env, []));
  // Its body is markup, by the Desktop Notifications Specification.
  const body = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  const args = ['--app-name=vtr', '--', ...[title, body].map((part) => cleanLine(part, maxPart))];
  await new Promise<void>((resolve, reject) => {
    execFile(program, args, { env: { ...env }, timeout: answerMs }, (error, _out, stderr) => {
      if (error === null) resolve();
      else reject(new Error(stderr.trim() || error.message));
    });
  });
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
