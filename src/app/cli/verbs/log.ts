import { watch } from 'node:fs';
import {
  type AuditDetail,
  type AuditEntry,
  readTrail,
  type TrailCheck,
  TrailReader,
  trailFiles,
  verifyTrail,
  wanted,
} from '#audit';
import { defined, nearMisses, sanitize } from '#base';
import { auditDirectory, checkNotAddress } from '#config';
import { counted, VtrError } from '#model';
import { pastTime, text, toggle, wholeNumber } from '../arguments/flags.ts';
import { output, reach } from '../arguments/shared-flags.ts';
import type { Context } from '../context.ts';
import { splitAddress } from '../coordinators/addressing.ts';
import { oneCoordinator } from '../coordinators/known-coordinators.ts';
import { noExit } from '../exit-codes.ts';
import { jsonLine, printJson, wantsJson } from '../output/printing.ts';
import { table } from '../output/table.ts';
import { StopSignals, signalStatus } from '../stop-signals.ts';
import { defineVerb } from '../verb.ts';

export const log = defineVerb({
  name: 'log',
  summary: 'print the audit trail: who did what in which session',
  args: {
    session: {
      about: 'session name or id, or COORDINATOR:NAME; also of a removed session',
      optional: true,
      completes: 'session',
    },
  },
  otherFlags: { tail: '--last N' },
  flags: {
    ...reach,
    ...output,
    since: pastTime('print entries since TIME: 30m (ago), 10:32, or 2026-11-23T10:32:05Z'),
    last: wholeNumber('N', 'print only the newest N entries', { from: 1 }),
    follow: toggle('print new entries as they are written, until a signal', { short: 'f' }),
    verify: toggle('check that no entry was changed, removed or put in'),
    contains: text('HASH', 'with --verify: check that the trail has the entry with this hash, too'),
  },
  details: [
    'The trail has every call that changes something, from each kind of client, even if the call was refused. It does not have the output of programs: see vtr read. It has the text of input only with audit_text = true in server.toml, and neither text nor hash while the terminal does not show what is typed. vtr log reads files; no daemon needs to run.',
    'Columns: time (UTC), client with its process, what was done, session, size in bytes, details. docs/audit.md lists the fields. The first 12 digits of a hash are printed; --json has all.',
    'With a name, prints the entries of all sessions that have or had that name. --follow begins with the last 10 entries, unless --last or --since is given; with --json, it prints one object per line.',
    'Each entry has the hash of the one before (docs/audit.md). --verify prints the first entries that do not follow from those before them, or the number and the hash of the newest entry. Keep that hash elsewhere: if --contains HASH fails later, the newest entries were removed, or all of them written anew. Exit status of --verify: 0 if the trail is as it was written, else 1.',
    'An entry gap says how many entries are missing because they could not be written. Exit status: 4 if no entry is about the session.',
  ],
  examples: [
    { line: 'vtr log', about: 'print all entries that are kept' },
    { line: 'vtr log codex --since 1h', about: 'what was done in a session in the last hour' },
    { line: "vtr log --json | jq '.entries[] | select(.refused)'", about: 'what was refused' },
    { line: 'vtr log --follow', about: 'watch what is done' },
    { line: 'vtr log --verify', about: 'was the trail changed?' },
  ],
  async run(context, { args, flags }) {
    const { coordinator: prefix, session } = addressOf(args.session);
    const directory = await directoryOf(context, prefix ?? flags.coordinator);
    const { since: sinceMs, last } = flags;
    const query = defined({ session, sinceMs, last });
    const isJson = await wantsJson(context, flags);
    if (flags.verify || flags.contains !== undefined) {
      checkAlone(flags, session);
      return verify(context, directory, hashOf(flags.contains), isJson);
    }
    if (flags.follow) return follow(context, directory, query, isJson);
    const { entries, damaged } = readTrail(directory, query);
    if (entries.length === 0) checkKnown(context, directory, session);
    if (isJson) printJson(context, { entries, damaged });
    else context.out(await table(heads, entries.map(rowOf)));
    tellDamaged(context, damaged);
    return undefined;
  },
});

const addressOf = (address: string | undefined): { coordinator?: string; session?: string } =>
  address === undefined ? {} : splitAddress(address);

async function directoryOf(context: Context, named: string | undefined): Promise<string> {
  const { socket } = await oneCoordinator(context, named);
  checkNotAddress(socket, 'the trail is on that machine: run vtr log there');
  return auditDirectory(context, socket);
}

/** @throws VtrError SESSION_NOT_FOUND */
function checkKnown(context: Context, directory: string, session: string | undefined): void {
  const { entries } = readTrail(directory);
  if (entries.length === 0) {
    context.say(
      `there is no audit trail at ${directory}; a daemon writes it, unless audit = false`,
    );
  }
  if (session === undefined || entries.some(wanted({ session }, entries))) return;
  const names = new Set(entries.flatMap(({ session: name }) => name ?? []));
  const near = nearMisses(session, [...names]);
  const hint = near.length === 0 ? 'see vtr log' : `did you mean ${near.join(' or ')}?`;
  const message = `the audit trail has no entry of session ${JSON.stringify(session)}: ${hint}`;
  throw new VtrError('SESSION_NOT_FOUND', message, { details: { name: session } });
}

function tellDamaged(context: Context, damaged: number): void {
  if (damaged === 0) return;
  context.say(
    `${counted(damaged, 'line')} of the audit trail ${damaged === 1 ? 'is' : 'are'} not complete`,
  );
}

/** @throws VtrError INVALID_ARGUMENT for what selects entries: a hash is that of all entries before */
function checkAlone(
  flags: Readonly<Record<'verify' | 'follow', boolean>> &
    Readonly<Record<'since' | 'last', number | undefined>>,
  session: string | undefined,
): void {
  const fail = (message: string) => {
    throw new VtrError('INVALID_ARGUMENT', message);
  };
  if (!flags.verify) fail('--contains needs --verify');
  if (session !== undefined) fail('--verify checks the whole trail, not a session');
  const other = (['follow', 'since', 'last'] as const).find(
    (name) => flags[name] !== undefined && flags[name] !== false,
  );
  if (other !== undefined) fail(`--verify and --${other} cannot be used together`);
}

/** Fewer digits could be those of another entry. */
const minHashDigits = 12;

/** @throws VtrError INVALID_ARGUMENT */
function hashOf(text: string | undefined): string | undefined {
  if (text === undefined || /^[0-9a-f]{12,64}$/.test(text)) return text;
  const message = `--contains ${JSON.stringify(text)} is not a hash: give ${minHashDigits} to 64 digits of one that vtr log --verify printed`;
  throw new VtrError('INVALID_ARGUMENT', message);
}

function verify(
  context: Context,
  directory: string,
  hash: string | undefined,
  isJson: boolean,
): number {
  const check = verifyTrail(directory, hash);
  if (check.entries + check.unchained + check.damaged + check.breaks.length === 0) {
    throw noTrail(directory, 'verify');
  }
  const isIntact = check.breaks.length === 0 && check.hasEntry !== false;
  if (isJson) printJson(context, checkJson(isIntact, check));
  else context.out(checkText(check, hash));
  tellDamaged(context, check.damaged);
  return isIntact ? 0 : noExit;
}

const checkJson = (isIntact: boolean, check: TrailCheck) => ({
  intact: isIntact,
  entries: check.entries,
  unchained: check.unchained,
  damaged: check.damaged,
  lost: check.lost,
  forks: check.forks,
  oldest: check.oldest?.seq ?? null,
  newest: check.newest?.seq ?? null,
  hash: check.newest?.chain ?? null,
  contains: check.hasEntry,
  breaks: check.breaks,
});

/** A trail that was written anew has a break at each entry. */
const maxBreaks = 10;

function checkText(
  { entries, unchained, lost, oldest, newest, hasEntry, breaks }: TrailCheck,
  hash = '',
): string {
  const places = breaks.slice(0, maxBreaks).map(({ file, line, seq, time, why }) => {
    const place = line === null ? file : `${file} line ${line}`;
    const entry = seq === null ? '' : `, entry ${seq}`;
    return `broken: ${place}${entry}${time === null ? '' : ` of ${safe(time)}`}: ${why}`;
  });
  const more = breaks.length - places.length;
  const notes = [
    ...(unchained === 0
      ? []
      : [
          `${counted(unchained, 'entry', 'entries')} of an earlier version of vtr before them, without a hash`,
        ]),
    ...(lost === 0
      ? []
      : [`${counted(lost, 'entry', 'entries')} could not be written, as the trail says`]),
  ];
  const whole =
    newest === null || oldest === null
      ? 'no entry has a hash'
      : `${breaks.length === 0 ? 'whole: ' : ''}${counted(entries, 'entry', 'entries')}, ${oldest.seq} to ${newest.seq}; the hash of the newest is ${newest.chain}`;
  const lines = [
    ...places,
    ...(more > 0 ? [`and ${counted(more, 'more place')}`] : []),
    ...(hasEntry === false ? [`broken: no entry has the hash ${hash}`] : []),
    whole,
    ...notes,
  ];
  return `${lines.join('\n')}\n`;
}

const noTrail = (directory: string, verb: string): VtrError =>
  new VtrError(
    'IO_ERROR',
    `there is no audit trail at ${directory} to ${verb}; a daemon writes it`,
    { details: { path: directory } },
  );

/** Prints the newest entries, and then each new entry, until a signal. */
async function follow(
  context: Context,
  directory: string,
  query: Parameters<typeof wanted>[0] & { readonly last?: number },
  isJson: boolean,
): Promise<number> {
  if (trailFiles(directory).length === 0) throw noTrail(directory, 'follow');
  const stop = new StopSignals();
  const reader = new TrailReader(directory);
  const isWanted = wanted(query, new TrailReader(directory).next());
  const print = (entries: readonly AuditEntry[]) => {
    for (const entry of entries) context.out(`${isJson ? jsonLine(entry) : lineOf(entry)}\n`);
  };
  // It watches before it reads, so that nothing is between the two.
  const watcher = watch(directory, () => print([...reader.next()].filter(isWanted)));
  try {
    const { last = query.sinceMs === undefined ? followedLines : Number.POSITIVE_INFINITY } = query;
    print([...reader.next()].filter(isWanted).slice(-last));
    return signalStatus(await stop.received);
  } finally {
    watcher.close();
    stop.dispose();
  }
}

/** How many older entries --follow prints if no flag says, as tail does. */
const followedLines = 10;

const heads = ['TIME', 'CLIENT', 'ACTION', 'SESSION', 'BYTES', 'DETAILS'];

const hashDigits = 12;

function rowOf(entry: AuditEntry): string[] {
  const { time, client, pid, by, action, session = '', bytes } = entry;
  const who = pid === undefined ? client : `${client} ${pid}`;
  return [
    ...[safe(time), safe(by === undefined ? who : `${who} (${by})`), safe(action), safe(session)],
    ...[bytes === undefined ? '' : String(bytes), detailsOf(entry)],
  ];
}

function detailsOf({ refused, details = {}, sha256, text }: AuditEntry): string {
  const parts = [
    ...(refused === undefined ? [] : [`refused: ${refused}`]),
    ...Object.entries(details).map(([name, value]) => `${safe(name)}=${detailText(value)}`),
    ...(sha256 === undefined ? [] : [`sha256=${safe(sha256.slice(0, hashDigits))}`]),
    ...(text === undefined ? [] : [`text=${jsonLine(text)}`]),
  ];
  return parts.join(' ');
}

const detailText = (value: AuditDetail): string =>
  typeof value === 'object' ? value.map(safe).join(',') : safe(String(value));

/** Returns a text as it is if it is one visible line; else as a string of JSON. */
const safe = (text: string): string =>
  sanitize(text).removed === 0 && !/[\n\t]/.test(text) ? text : jsonLine(text);

const lineOf = (entry: AuditEntry): string => rowOf(entry).join('  ').trimEnd();
