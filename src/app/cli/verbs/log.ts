import { type AuditRead, filterOf, readTrail } from '#audit';
import { nearMisses, quoted } from '#base';
import { auditDirectory } from '#config';
import { asVtrError, counted, errorTable, isAddress, VtrError } from '#model';
import { pastTime, text, toggle, wholeNumber } from '../arguments/flags.ts';
import { output, reach } from '../arguments/shared-flags.ts';
import type { Context } from '../context.ts';
import { placeAndName } from '../coordinators/addressing.ts';
import { noExit } from '../exit-codes.ts';
import { printJson, wantsJson } from '../output/printing.ts';
import { checkText } from '../trail/check-text.ts';
import { byTime, entryTable } from '../trail/entry-table.ts';
import { followTrails } from '../trail/follow-trails.ts';
import {
  askEach,
  checkAt,
  queryOf,
  readAt,
  type TrailPlaces,
  type TrailQuery,
  trailPlaces,
} from '../trail/places.ts';
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
  otherFlags: { tail: '--last N', n: '--last N' },
  flags: {
    ...reach,
    ...output,
    everywhere: toggle('the trails of all known coordinators, by time'),
    since: pastTime('print entries since TIME: 30m (ago), 10:32, or 2026-11-23T10:32:05Z'),
    last: wholeNumber('N', 'print only the newest N entries', { from: 1 }),
    follow: toggle('print new entries as they are written, until a signal', { short: 'f' }),
    verify: toggle('check that no entry was changed, removed or put in'),
    contains: text('HASH', 'with --verify: check that the trail has the entry with this hash, too'),
  },
  details: [
    'The trail has every call that changes something, from each kind of client, even if the call was refused. It does not have the output of programs: see vtr read. It has the text of input only with audit_text = true in server.toml, and neither text nor hash while the terminal does not show what is typed. vtr log reads files; no daemon needs to run. At an address, vtr runs vtr log there.',
    'Columns: time (UTC), client with its process, what was done, session, size in bytes, details. docs/audit.md lists the fields. The first 12 digits of a hash are printed; --json has all. Keys that a person typed one by one are one row for each line, or until a pause of 5 s; --json has each.',
    'With a name, prints the entries of all sessions that have or had that name. --follow begins with the last 10 entries, unless --last or --since is given; with --json, it prints one object per line. At an address, and with --everywhere, it connects again if a connection breaks, and misses nothing.',
    'Each entry has the hash of the one before (docs/audit.md). --verify prints the first entries that do not follow from those before them, or the number and the hash of the newest entry. Keep that hash elsewhere: if --contains HASH fails later, the newest entries were removed, or all of them written anew. Exit status of --verify: 0 if the trail is as it was written, else 1.',
    'An entry gap says how many entries are missing because they could not be written. Exit status: 4 if no entry is about the session.',
  ],
  examples: [
    { line: 'vtr log', about: 'print all entries that are kept' },
    { line: 'vtr log codex --since 1h', about: 'what was done in a session in the last hour' },
    { line: "vtr log --json | jq '.entries[] | select(.refused)'", about: 'what was refused' },
    { line: 'vtr log --follow', about: 'watch what is done' },
    { line: 'vtr log --follow --everywhere', about: 'the same, on all machines' },
    { line: 'vtr log --verify', about: 'was the trail changed?' },
    { line: 'vtr log --everywhere --since 1h', about: 'what was done on all machines' },
  ],
  async run(context, { args, flags }) {
    const { coordinator: named, session } =
      args.session === undefined
        ? { coordinator: flags.coordinator, session: undefined }
        : await placeAndName(context, args.session, flags);
    const places = await trailPlaces(context, named, flags.everywhere);
    const query = queryOf(session, flags);
    const isJson = await wantsJson(context, flags);
    if (flags.verify || flags.contains !== undefined) {
      checkAlone(flags, session);
      return verify(context, places, hashOf(flags.contains), isJson);
    }
    if (flags.follow) {
      return followTrails(context, places, query, isJson);
    }
    await print(context, places, query, isJson);
    return undefined;
  },
});

/** Prints the entries of one trail, or of several by their time. @throws VtrError SESSION_NOT_FOUND */
async function print(
  context: Context,
  places: TrailPlaces,
  query: TrailQuery,
  isJson: boolean,
): Promise<void> {
  const { areSeveral } = places;
  const { answers } = await askEach(context, places, (place, mayPrompt) =>
    readAt(context, place, query, mayPrompt).catch((error) => {
      if (areSeveral && asVtrError(error).code === 'SESSION_NOT_FOUND') return nothing;
      throw error;
    }),
  );
  const placed = answers.flatMap(({ name, answer }) =>
    answer.entries.map((entry) => ({ ...entry, ...(areSeveral && { coordinator: name }) })),
  );
  // Stable: entries of one trail keep their order.
  const sorted = areSeveral ? placed.sort(byTime) : placed;
  const entries = sorted.slice(-(query.last ?? sorted.length));
  const [only] = places.places;
  if (entries.length === 0 && !areSeveral && only !== undefined && !isAddress(only.socket)) {
    checkKnown(context, auditDirectory(context, only.socket), query.session);
  } else if (entries.length === 0 && query.session !== undefined) {
    throw noEntry(query.session, 'see vtr log --everywhere');
  }
  const damaged = answers.reduce((sum, { answer }) => sum + answer.damaged, 0);
  if (isJson) printJson(context, { entries, damaged });
  else context.out(await entryTable(entries, areSeveral));
  tellDamaged(context, damaged);
}

const nothing: AuditRead = { entries: [], damaged: 0 };

/** @returns the exit status: that of a failure if a trail could not be read and none is broken */
async function verify(
  context: Context,
  places: TrailPlaces,
  hash: string | undefined,
  isJson: boolean,
): Promise<number> {
  const { answers, failures } = await askEach(context, places, (place, mayPrompt) =>
    checkAt(context, place, hash, mayPrompt),
  );
  const { areSeveral } = places;
  const named = answers.map(({ name, answer }) => ({ coordinator: name, ...answer }));
  if (isJson) printJson(context, areSeveral ? { trails: named } : answers[0]?.answer);
  else {
    for (const { name, answer } of answers) {
      const text = checkText(answer, hash);
      context.out(areSeveral ? text.replace(/^(?=.)/gm, `${name}: `) : text);
    }
  }
  tellDamaged(
    context,
    answers.reduce((sum, { answer }) => sum + answer.damaged, 0),
  );
  // One of several trails has the entry.
  const areIntact = areSeveral
    ? answers.every(({ answer }) => answer.breaks.length === 0) &&
      (hash === undefined || answers.some(({ answer }) => answer.contains === true))
    : answers.every(({ answer }) => answer.intact);
  if (!areIntact) return noExit;
  const [failure] = failures;
  return failure === undefined ? 0 : errorTable[failure.code].exit;
}

/** @throws VtrError SESSION_NOT_FOUND */
function checkKnown(context: Context, directory: string, session: string | undefined): void {
  const { entries } = readTrail(directory);
  if (entries.length === 0) {
    context.say(
      `there is no audit trail at ${directory}; a daemon writes it, unless audit = false`,
    );
  }
  if (session === undefined || entries.some(filterOf({ session }, entries))) return;
  const names = new Set(entries.flatMap(({ session: name }) => name ?? []));
  const near = nearMisses(session, [...names]);
  throw noEntry(session, near.length === 0 ? 'see vtr log' : `did you mean ${near.join(' or ')}?`);
}

const noEntry = (session: string, hint: string): VtrError =>
  new VtrError(
    'SESSION_NOT_FOUND',
    `the audit trail has no entry of session ${quoted(session)}: ${hint}`,
    { details: { name: session } },
  );

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
  const message = `--contains ${quoted(text)} is not a hash: give ${minHashDigits} to 64 digits of one that vtr log --verify printed`;
  throw new VtrError('INVALID_ARGUMENT', message);
}
