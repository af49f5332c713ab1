import { execFile } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { cleanLine, defined, durationText } from '#base';
import { callerEnvironment, VtrError } from '#model';
import { type Channel, type Notice, Refused } from '#notify';
import { isExecutable } from '#trust';
import type { Context } from '../context.ts';
import { isoTime, jsonLine } from '../output/printing.ts';

/** How to tell. */
export interface ChannelOptions {
  readonly desktop: boolean;
  readonly osc: boolean;
  readonly json: boolean;
  /** A line for the shell; null: none. */
  readonly exec: string | null;
  /** A URL of http or https; null: none. */
  readonly webhook: string | null;
  /** Null: by the server. */
  readonly webhookFormat: WebhookFormat | null;
}

export const webhookFormats = ['json', 'ntfy', 'slack'] as const;
export type WebhookFormat = (typeof webhookFormats)[number];

/** The formats of servers that accept only one. */
const formatsOfHosts: Readonly<Record<string, WebhookFormat>> = {
  'hooks.slack.com': 'slack',
  'ntfy.sh': 'ntfy',
};

const program = 'notify-send';
/** The longest title or text, in UTF-16 code units. */
const maxPart = 1000;
/** The time in which a notification service, a program or a server accepts a notification, in ms. */
const answerMs = 10_000;

/**
 * Returns how to tell: as requested, else by the desktop if there is one, by the terminal, or by lines on
 * stdout.
 *
 * @throws VtrError INVALID_ARGUMENT for a URL that is not valid, PROGRAM_NOT_FOUND if the desktop is requested and
 * notify-send is missing
 */
export function channelsOf(context: Context, options: ChannelOptions): readonly Channel[] {
  const { desktop, osc, json, exec, webhook, webhookFormat } = options;
  const isInstalled = hasProgram(context);
  if (desktop && !isInstalled) {
    throw new VtrError('PROGRAM_NOT_FOUND', `${program} is not installed; use --osc`, {
      details: { program },
    });
  }
  const channels = [
    ...(desktop ? [desktopChannel(context)] : []),
    ...(osc ? [oscChannel(context)] : []),
    ...(json ? [jsonChannel(context)] : []),
    ...(exec === null ? [] : [execChannel(context, exec)]),
    ...(webhook === null ? [] : [webhookChannel(context, webhook, webhookFormat)]),
  ];
  if (channels.length > 0) return channels;
  const other = context.isTerminal ? oscChannel(context) : lineChannel(context);
  return [isInstalled && hasDesktop(context) ? desktopOr(context, other) : other];
}

function oscChannel({ draw }: Context): Channel {
  return {
    name: 'the terminal',
    isConfirmed: false,
    async tell(notice) {
      draw(oscOf({ ...notice, text: shownText(notice) }));
      return null;
    },
  };
}

const lineChannel = ({ out }: Context): Channel => ({
  name: 'lines',
  isConfirmed: true,
  async tell(notice) {
    out(`${notice.title}: ${shownText(notice)}\n`);
    return null;
  },
});

const jsonChannel = ({ out }: Context): Channel => ({
  name: 'lines of JSON',
  isConfirmed: true,
  isForPrograms: true,
  async tell(notice, atMs) {
    out(`${jsonLine(noticeJson(notice, atMs))}\n`);
    return null;
  },
});

function desktopChannel(context: Context): Channel {
  return {
    name: 'the desktop',
    isConfirmed: true,
    isRepeated: true,
    tell: (notice) => tellDesktop(context, notice),
  };
}

/** The desktop; what it does not accept is told otherwise, and is not repeated. */
function desktopOr(context: Context, other: Channel): Channel {
  const { tell } = desktopChannel(context);
  return {
    name: 'the desktop',
    isConfirmed: true,
    tell: (notice, atMs) =>
      tell(notice, atMs).catch(async ({ message }: Error) => {
        await other.tell(notice, atMs);
        return message;
      }),
  };
}

/** OSC 777 of rxvt-unicode, which most terminals know. The title ends at a semicolon. */
export const oscOf = ({ title, text }: Pick<Notice, 'title' | 'text'>): string => {
  const [head, body] = [title.replaceAll(';', ','), text].map((part) => cleanLine(part, maxPart));
  return `\x1b]777;notify;${head};${body}\x1b\\`;
};

/** The text for a person: of what was missed, for how long. */
function shownText({ text, about }: Notice): string {
  if (about?.isMissed !== true) return text;
  return `${text} (${durationText(Math.max(0, Date.now() - about.sinceMs))} ago)`;
}

/**
 * A notice for programs. Those that were told together are in `of`.
 *
 * @param atMs when it is told, in ms since 1970
 */
const noticeJson = ({ title, text, about, of = [] }: Notice, atMs: number): object => ({
  title,
  text,
  session: about?.session ?? null,
  kind: about?.kind ?? null,
  since: isoTime(about?.sinceMs ?? null),
  missed: about?.isMissed ?? false,
  of: of.map((each) => each.title),
  mark: `n1-${atMs.toString(36)}`,
});

/** Returns the time of a mark in ms since 1970; null if a text is none. */
export function markMsOf(text: string): number | null {
  const [, digits] = /^n1-([0-9a-z]{1,11})$/.exec(text) ?? [];
  return digits === undefined ? null : Number.parseInt(digits, 36);
}

/** Text that leaves this process: other users of the machine read arguments, others the messages of a server. */
async function withoutSecrets({ env }: Context, notice: Notice): Promise<Notice> {
  const { redactText, secretRules } = await import('#app/recordings');
  const rules = secretRules(env, []);
  const [title, text] = [notice.title, shownText(notice)].map((each) =>
    cleanLine(redactText(each, rules), maxPart),
  ) as [string, string];
  const of = notice.of?.map((each) => ({ ...each, title: redactText(each.title, rules) }));
  return { ...notice, title, text, ...defined({ of }) };
}

/** The environment of programs that vtr starts for a notification has no secrets. */
const environmentOf = ({ env }: Context) => callerEnvironment(env).variables;

async function tellDesktop(context: Context, notice: Notice): Promise<null> {
  const { title, text } = await withoutSecrets(context, notice);
  // Its body is markup, by the Desktop Notifications Specification.
  const body = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  await ended(context, program, ['--app-name=vtr', '--', title, body], null);
  return null;
}

/** A command of the user: it reads the notice as JSON, because its arguments are no place for it. */
function execChannel(context: Context, line: string): Channel {
  return {
    name: 'the command of --exec',
    isConfirmed: true,
    isRepeated: true,
    async tell(notice, atMs) {
      const json = jsonLine(noticeJson(await withoutSecrets(context, notice), atMs));
      await ended(context, 'sh', ['-c', line], `${json}\n`);
      return null;
    },
  };
}

/** Runs a program to its end. @throws Error if it fails, or takes longer than {@link answerMs} */
function ended(
  context: Context,
  file: string,
  args: readonly string[],
  input: string | null,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const options = { env: environmentOf(context), timeout: answerMs };
    const child = execFile(file, args, options, (error, _out, stderr) => {
      if (error === null) return resolve();
      const { code, signal } = error;
      const why = stderr.trim().split('\n').at(-1) || howEnded(code ?? null, signal ?? null);
      reject(new Error(`${file === 'sh' ? '--exec' : file}: ${why}`));
    });
    // A program need not read it.
    child.stdin?.on('error', () => {});
    child.stdin?.end(input ?? '');
  });
}

const howEnded = (code: string | number | null, signal: string | null): string =>
  typeof code === 'number'
    ? `exited with status ${code}`
    : (code ?? `was ended by ${signal ?? 'a signal'}`);

/** A server that gets a POST request. Its URL may be a secret, and is in no message. */
function webhookChannel(context: Context, url: string, chosen: WebhookFormat | null): Channel {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) {
    throw new VtrError('INVALID_ARGUMENT', 'the webhook is not a URL of http or https');
  }
  const name = `the webhook at ${parsed.host}`;
  const format = chosen ?? formatsOfHosts[parsed.hostname] ?? 'json';
  return {
    name,
    isConfirmed: true,
    isRepeated: true,
    async tell(notice, atMs) {
      const { headers, body } = requests[format](await withoutSecrets(context, notice), atMs);
      const signal = AbortSignal.timeout(answerMs);
      const request = { method: 'POST', headers, body, signal, redirect: 'manual' } as const;
      const { status } = await fetch(parsed, request).catch((error: unknown) => {
        throw new Error(`${name}: ${networkReason(error)}`);
      });
      // A redirection answers for another page: what follows it is not the notification.
      if (status >= 200 && status < 300) return null;
      const isTemporary = status >= 500 || status === 408 || status === 429;
      throw new (isTemporary ? Error : Refused)(`${name}: status ${status}`);
    },
  };
}

function networkReason(error: unknown): string {
  const { name, cause } = error as { name?: string; cause?: { code?: string } };
  return name === 'TimeoutError' ? 'no answer in 10 s' : (cause?.code ?? 'the request failed');
}

interface WebhookRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const asJson = (value: object): WebhookRequest => ({
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(value),
});

const requests: Readonly<Record<WebhookFormat, (notice: Notice, atMs: number) => WebhookRequest>> =
  {
    json: (notice, atMs) => asJson(noticeJson(notice, atMs)),
    // https://docs.ntfy.sh/publish: the topic is in the URL. A header is ASCII, so the title is encoded (RFC 2047).
    ntfy: ({ title, text, about }) => ({
      headers: {
        title: `=?UTF-8?B?${Buffer.from(title).toString('base64')}?=`,
        priority: about?.kind === 'input' || about?.kind === 'password' ? 'high' : 'default',
      },
      body: text || title,
    }),
    // https://api.slack.com/messaging/webhooks; Mattermost and Discord (with /slack) accept it, too.
    slack: ({ title, text }) => asJson({ text: `*${slackText(title)}*\n${slackText(text)}` }),
  };

const slackText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const hasDesktop = ({ env }: Context): boolean =>
  ['DBUS_SESSION_BUS_ADDRESS', 'WAYLAND_DISPLAY', 'DISPLAY'].some((name) => env[name]);

function hasProgram({ env }: Context): boolean {
  const directories = (env['PATH'] ?? '').split(delimiter).filter((each) => each !== '');
  return directories.some((directory) => isExecutable(join(directory, program)));
}
