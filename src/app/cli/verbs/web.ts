import { spawn } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { isNotRunning } from '#app/client';
import { defined, durationText, shellQuoted } from '#base';
import {
  isAddress,
  parseAddress,
  VtrError,
  type WebLogin,
  type WebRequest,
  type WebShare,
  type WebStatus,
  type WebWarning,
  webWarningHint,
  webWarningText,
} from '#model';
import type { JsonCoordinator } from '#wire/service/short';
import { duration, type FlagValues, text, toggle, wholeNumber } from '../arguments/flags.ts';
import { output, pathThere, reach, sessionArgument } from '../arguments/shared-flags.ts';
import type { Context } from '../context.ts';
import { coordinatorForSession, findSession } from '../coordinators/addressing.ts';
import { clientOf } from '../coordinators/known-coordinators.ts';
import { withDaemon } from '../coordinators/with-daemon.ts';
import { noExit } from '../exit-codes.ts';
import { isoTime, printJson, printPlain, wantsJson } from '../output/printing.ts';
import { table } from '../output/table.ts';
import { defineVerb } from '../verb.ts';

const maxPort = 65_535;

const serveFlags = {
  port: wholeNumber(
    'N',
    'port to listen at; 0 for any free one (default: 7681 or the next free one)',
    {
      to: maxPort,
    },
  ),
  host: text('ADDRESS', 'address to listen at (default: 127.0.0.1)'),
  'tls-cert': text('FILE', 'certificate in PEM, with --tls-key', { completes: 'file' }),
  'tls-key': text('FILE', 'its private key in PEM', { completes: 'file' }),
  'behind-proxy': text('ORIGIN', 'origin at which a proxy serves the page: https://vtr.example'),
};

const qrFlag = toggle('print the link as a QR code, too');

export const web = defineVerb({
  name: 'web',
  summary: 'serve the web page, and print a link to it',
  args: {},
  flags: {
    ...reach,
    ...serveFlags,
    push: toggle('offer notifications by Web Push: to devices on which no page is open'),
    open: toggle('open the link in your browser'),
    qr: qrFlag,
    ...output,
  },
  details: [
    'The page shows all sessions, live. The daemon serves it, and is started if none runs. The page stays, even when the daemon is restarted, until vtr web stop.',
    'The link is valid for one login within 60 s; another call prints a new one. The login sets a cookie, which expires 12 hours after its last use. Anybody who has the link or the cookie can act as you.',
    'The page is served at 127.0.0.1, which only the machine of the daemon reaches. Any other --host needs TLS (--tls-cert, --tls-key) or a proxy that encrypts (--behind-proxy).',
    '--open passes the browser a file that redirects to the link, because every user of the machine can read the arguments of a program. Only you can read the file, and it is removed when the link is used or expires. If the browser cannot read it, as when it is installed as a snap, it shows an error; open the printed link instead.',
    'With --push, or web_push = true in server.toml, a browser can be notified while no page is open, if you ask for it in the settings of the page. The daemon then sends encrypted messages to the push service of its vendor. If the page is already served, it offers this from then on.',
    'If --coordinator is on another machine, the command prints how to forward the port, and --open opens nothing.',
  ],
  examples: [
    { line: 'vtr web', about: 'print a link' },
    { line: 'vtr web --open', about: 'and open it' },
    {
      line: 'vtr web --behind-proxy https://vtr.example --qr',
      about: 'for a phone; see docs/web.md',
    },
  ],
  async run(context, { flags }) {
    const { coordinator: place } = await coordinatorForSession(context, undefined, flags);
    const openFile = flags.open && !isAddress(place.socket);
    const request = {
      ...requestOf(context, flags, place.socket),
      ...defined({ openFile: openFile || undefined, push: flags.push || undefined }),
    };
    const client = clientOf(context, place);
    const link = await withDaemon(context, place, true, () => client.startWeb(request));
    if (await wantsJson(context, flags)) printJson(context, { url: link.url, port: link.port });
    else await printLink(context, link.url, flags);
    const elsewhere = elsewhereHint(client.socket, link.url);
    if (elsewhere !== null) context.say(elsewhere);
    else if (flags.open) await openInBrowser(context, link.file);
    return undefined;
  },
});

export const webStop = defineVerb({
  name: 'web stop',
  summary: 'end the web page and all its logins',
  args: {},
  flags: { ...reach },
  details: ['Shares stay. They are valid again when the page is next served at the same port.'],
  examples: [{ line: 'vtr web stop', about: 'close all pages' }],
  async run(context, { flags }) {
    await unlessNone(onCoordinator(context, flags, (to) => to.stopWeb()));
    return undefined;
  },
});

const notServed: WebStatus = {
  port: null,
  origin: '',
  viewers: 0,
  shares: 0,
  logins: 0,
  warnings: [],
};

export const webStatus = defineVerb({
  name: 'web status',
  summary: 'print whether the web page is served',
  args: {},
  flags: { ...reach, ...output },
  details: [
    'Exit status: 0 if it is served, 1 if not.',
    'vtr web logins lists the browsers that are logged in.',
    'A warning says that a login link was used a second time, or by another user of the machine. If that was not you, end all logins with vtr web stop.',
  ],
  examples: [{ line: 'vtr web status', about: 'print its address, viewers and shares' }],
  async run(context, { flags }) {
    const answer = onCoordinator(context, flags, (to) => to.webStatus());
    const status = (await unlessNone(answer)) ?? notServed;
    const { port, origin, viewers, shares, logins, warnings } = status;
    if (await wantsJson(context, flags)) {
      const problems = warnings.map(warningJson);
      const counts = { viewers, shares, logins };
      printJson(context, { running: port !== null, port, ...counts, warnings: problems });
    } else {
      if (port === null) context.say('the web page is not served; start it with vtr web');
      else {
        const counts = `viewers: ${viewers}, shares: ${shares}, logins: ${logins}`;
        printPlain(context, `${origin}, ${counts}\n`);
      }
      sayWarnings(context, warnings);
    }
    return port === null ? noExit : undefined;
  },
});

export const webShare = defineVerb({
  name: 'web share',
  summary: 'make a link to one session for other people',
  args: { session: sessionArgument },
  flags: {
    ...reach,
    for: duration('how long the link is good, up to 30 days (default 1h)'),
    write: toggle('let visitors type'),
    alis: toggle("make the address of a live stream for asciinema's player instead"),
    'with-history': toggle('let visitors read earlier lines and commands'),
    'no-redact': toggle('show visitors the secrets that vtr knows'),
    qr: qrFlag,
    ...output,
  },
  details: [
    'Everyone with the link sees this session and nothing else, on any number of devices. The page is served if it was not. Links are to 127.0.0.1 unless the page is served with --host or --behind-proxy.',
    'Visitors see the screen and what follows. They see earlier lines and commands only with --with-history. Secrets that vtr knows are replaced, as docs/secrets.md describes, unless --no-redact is given.',
    'With --write, visitors can do in the session what you can. vtr web unshare ends a share at once.',
  ],
  examples: [
    { line: 'vtr web share codex', about: 'print a link that is good for an hour' },
    { line: 'vtr web share codex --for 8h --write', about: 'let visitors type, today' },
  ],
  async run(context, { args, flags }) {
    const { coordinator, session } = await findSession(context, args.session, flags);
    const { for: forMs, write, alis, 'with-history': withHistory } = flags;
    const shown = { write, alis, withHistory, redact: !flags['no-redact'] };
    const share = { ...defined({ forMs }), ...shown };
    const askedMs = Date.now();
    const { url, id, untilMs } = await coordinator.shareWeb(session, share);
    if (await wantsJson(context, flags)) printJson(context, { url, id });
    else {
      await printLink(context, url, flags);
      context.say(`good for ${leftText(untilMs, askedMs)}; end it with vtr web unshare ${id}`);
    }
    const elsewhere = elsewhereHint(coordinator.socket, url);
    if (elsewhere !== null) context.say(elsewhere);
    return undefined;
  },
});

export const webShares = defineVerb({
  name: 'web shares',
  summary: 'list the links to sessions',
  args: {},
  flags: { ...reach, ...output },
  examples: [{ line: 'vtr web shares', about: 'print a table' }],
  async run(context, { flags }) {
    const answer = onCoordinator(context, flags, (to) => to.webShares());
    const shares = (await unlessNone(answer)) ?? [];
    if (await wantsJson(context, flags)) printJson(context, { shares: shares.map(shareJson) });
    else
      printPlain(
        context,
        await table(['ID', 'SESSION', 'KIND', 'LEFT', 'VIEWERS'], rowsOf(shares)),
      );
    return undefined;
  },
});

export const webUnshare = defineVerb({
  name: 'web unshare',
  summary: 'end a link to a session at once',
  args: { id: { about: 'share: an id that vtr web shares prints' } },
  flags: { ...reach },
  details: ['Visitors who have the session open lose it, too.'],
  examples: [{ line: 'vtr web unshare k3J9xQ2a', about: 'end a share' }],
  async run(context, { args, flags }) {
    await onCoordinator(context, flags, (to) => to.unshare(args.id));
    return undefined;
  },
});

/** Prints a link, and its QR code on request. */
async function printLink(
  context: Context,
  url: string,
  { qr }: { readonly qr: boolean },
): Promise<void> {
  printPlain(context, `${url}\n`);
  if (!qr) return;
  const { qrText } = await import('../output/qr-code.ts');
  const hasColors = context.isTerminal && !context.env['NO_COLOR'];
  context.out(qrText(url, { hasColors }));
  if (loopback.has(new URL(url).hostname)) {
    context.say(
      'a phone does not reach this address; serve the page with --behind-proxy, or with --host and a certificate: docs/web.md',
    );
  }
}

export const webLogins = defineVerb({
  name: 'web logins',
  summary: 'list the browsers that are logged in',
  args: {},
  flags: { ...reach, ...output },
  details: [
    'The name is what the person at the browser calls it, else what the browser says that it is. A login ends 12 hours after its last use, and 30 days after it if the browser gets notifications by Web Push (PUSH).',
  ],
  examples: [
    { line: 'vtr web logins', about: 'print a table, with the one that was used last first' },
  ],
  async run(context, { flags }) {
    const answer = onCoordinator(context, flags, (to) => to.webLogins());
    const logins = (await unlessNone(answer)) ?? [];
    if (await wantsJson(context, flags)) printJson(context, { logins: logins.map(loginJson) });
    else {
      const heads = ['ID', 'NAME', 'SEES', 'PAGES', 'PUSH', 'USED', 'SINCE'];
      printPlain(context, await table(heads, loginRows(logins)));
    }
    return undefined;
  },
});

export const webLogout = defineVerb({
  name: 'web logout',
  summary: 'end the login of a browser at once',
  args: { id: { about: 'login: an id that vtr web logins prints' } },
  flags: { ...reach },
  details: ['Its pages are closed, too. Others stay logged in; vtr web stop ends all logins.'],
  examples: [{ line: 'vtr web logout 3f9a1c07', about: 'end the login of a lost phone' }],
  async run(context, { args, flags }) {
    await onCoordinator(context, flags, (to) => to.endLogin(args.id));
    return undefined;
  },
});

const loginRows = (logins: readonly WebLogin[]): string[][] =>
  logins.map(({ id, name, share, pages, notified, usedMs, sinceMs }) => [
    ...[id, name, share === null ? 'everything' : `share ${share}`, String(pages)],
    notified ? 'yes' : '',
    ...[`${durationText(Math.max(0, Date.now() - usedMs))} ago`, isoTime(sinceMs) ?? ''],
  ]);

const loginJson = ({ id, name, isNamed, share, sinceMs, usedMs, pages, notified }: WebLogin) => ({
  id,
  name,
  named: isNamed,
  share,
  since: isoTime(sinceMs),
  used: isoTime(usedMs),
  pages,
  notified,
});

/** @throws VtrError INVALID_ARGUMENT */
function requestOf(
  context: Context,
  flags: FlagValues<typeof serveFlags>,
  place: string,
): WebRequest {
  const { port, host, 'tls-cert': cert, 'tls-key': key, 'behind-proxy': behindProxy } = flags;
  if ((cert === undefined) !== (key === undefined)) {
    throw new VtrError('INVALID_ARGUMENT', '--tls-cert and --tls-key must be given together');
  }
  const path = (flag: string, file: string) => pathThere(context, flag, file, place);
  return {
    ...defined({ port, host }),
    ...(cert === undefined || key === undefined
      ? {}
      : { tls: { certFile: path('tls-cert', cert), keyFile: path('tls-key', key) } }),
    ...defined({ behindProxy }),
  };
}

/** Calls the user's own coordinator, or the named one. */
async function onCoordinator<T>(
  context: Context,
  flags: { readonly coordinator: string | undefined },
  call: (to: JsonCoordinator) => Promise<T>,
): Promise<T> {
  const { coordinator: place } = await coordinatorForSession(context, undefined, flags);
  return call(clientOf(context, place));
}

/** Resolves to undefined if no daemon runs: it serves no page, and has no shares. */
const unlessNone = <T>(call: Promise<T>): Promise<T | undefined> =>
  call.catch((error) => {
    if (isNotRunning(error)) return undefined;
    throw error;
  });

/** Rounded to minutes: a share of an hour has 1h left a moment after it was made, not 59m. */
function leftText(untilMs: number, sinceMs = Date.now()): string {
  const leftMs = Math.max(0, untilMs - sinceMs);
  return durationText(leftMs < minuteMs ? leftMs : leftMs + minuteMs / 2);
}

const minuteMs = 60_000;

const kindText = ({ write, alis, withHistory, redact }: WebShare): string =>
  [
    alis ? 'stream' : write ? 'may type' : 'read-only',
    ...(withHistory ? ['with history'] : []),
    ...(redact ? [] : ['with secrets']),
  ].join(', ');

const rowsOf = (shares: readonly WebShare[]): string[][] =>
  shares.map((share) => [
    ...[share.id, share.session, kindText(share)],
    ...[leftText(share.untilMs), String(share.viewers)],
  ]);

const shareJson = ({ id, session, sinceMs, untilMs, viewers, ...share }: WebShare) => ({
  id,
  session,
  write: share.write,
  alis: share.alis,
  with_history: share.withHistory,
  redact: share.redact,
  since: isoTime(sinceMs),
  until: isoTime(untilMs),
  viewers,
});

function sayWarnings({ say }: Context, warnings: readonly WebWarning[]): void {
  for (const warning of warnings) {
    say(`warning: ${isoTime(warning.atMs)}: ${webWarningText(warning)}`);
  }
  if (warnings.length > 0) say(webWarningHint);
}

const warningJson = ({ atMs, again, uid }: WebWarning) => ({ at: isoTime(atMs), again, uid });

/**
 * Opens the file of a link with BROWSER, or the desktop's own opener. The link is printed in any case, and is not an
 * argument of the browser: every user of the machine can read the arguments of a program.
 *
 * @param file undefined from a daemon that cannot write one
 */
async function openInBrowser({ env, say }: Context, file: string | undefined): Promise<void> {
  if (file === undefined) {
    say('the daemon is of an older version; open the link yourself, or run vtr serve --restart');
    return;
  }
  const opener = process.platform === 'darwin' ? 'open' : 'xdg-open';
  // BROWSER may be a list of commands, of which the first one is tried.
  const program = env['BROWSER']?.split(':')[0] || opener;
  const child = spawn(program, [pathToFileURL(file).href], { detached: true, stdio: 'ignore' });
  const problem = await new Promise<Error | null>((resolve) => {
    child.once('error', resolve);
    child.once('spawn', () => resolve(null));
  });
  child.unref();
  if (problem !== null) say(`cannot run ${program}: ${problem.message}; open the link yourself`);
}

const loopback = new Set(['127.0.0.1', '[::1]', 'localhost']);

/**
 * Says how to reach a page that the coordinator of an address serves on its own loopback interface.
 *
 * @param socket path or address of the coordinator
 * @param link to the page, as the coordinator knows it
 * @returns null if a browser of this machine can open the link
 */
export function elsewhereHint(socket: string, link: string): string | null {
  if (!isAddress(socket)) return null;
  const { hostname, port } = new URL(link);
  if (!loopback.has(hostname)) return null;
  const address = parseAddress(socket);
  const here =
    address.kind === 'exec'
      ? ''
      : `, or add its sessions to the page of this machine: vtr config add ${shellQuoted(socket)} && vtr web`;
  if (address.kind !== 'ssh') {
    return `the page is served at ${socket}, which the browsers of this machine do not reach; forward port ${port}${here}`;
  }
  const { user, host, port: sshPort } = address;
  const login = user === undefined ? host : `${user}@${host}`;
  const option = sshPort === undefined ? '' : `-p ${sshPort} `;
  const ports = shellQuoted(`${port}:${hostname}:${port}`);
  const forward = `ssh -N -L ${ports} ${option}${login}`;
  return `the page is served on ${host}; to open the link here, run ${forward}${here}`;
}
