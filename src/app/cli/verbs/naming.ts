import { exactDurationText } from '#base';
import {
  type LabelChanges,
  maxSilenceMs,
  minSilenceMs,
  type SessionInfo,
  VtrError,
  watchLabel,
  watchOf,
  watchText,
} from '#model';
import { duration, type FlagValues, toggle } from '../arguments/flags.ts';
import { labelAssignment, labelsText, labelTexts } from '../arguments/label-flags.ts';
import { output, reach, sessionArgument } from '../arguments/shared-flags.ts';
import type { Context } from '../context.ts';
import { actOnEach, mapAtMost, maxCalls } from '../coordinators/act-on-each.ts';
import { findSession } from '../coordinators/addressing.ts';
import {
  type Selection,
  selectionDetails,
  selectionFlags,
  selectSessions,
  sessionsArgument,
} from '../coordinators/selection.ts';
import { printJson, printPlain, wantsJson } from '../output/printing.ts';
import { defineVerb } from '../verb.ts';

export const rename = defineVerb({
  name: 'rename',
  summary: 'rename a session',
  args: { session: sessionArgument, name: { about: 'new name' } },
  flags: reach,
  details: [
    'The id stays, and the old name is free at once. Waits and subscriptions of the session continue. VTR_SESSION in the environment of its programs keeps the old name.',
  ],
  examples: [{ line: 'vtr rename sess_4fz81k0q build', about: 'name a session build' }],
  async run(context, { args, flags }) {
    const { coordinator, session } = await findSession(context, args.session, flags);
    await coordinator.rename(session, args.name);
    return undefined;
  },
});

export const label = defineVerb({
  name: 'label',
  summary: 'set, remove or print the labels of sessions',
  args: {
    session: sessionsArgument,
    labels: {
      about: 'KEY=VALUE to set a label, KEY= to remove it (default: print labels)',
      optional: true,
      many: true,
    },
  },
  flags: { ...selectionFlags, ...output },
  details: [
    'A session has at most 32 labels. Keys have 1 to 63 characters of A-Z a-z 0-9 . _ / - and begin with a letter or digit. Values have 1 to 256 characters, without control characters.',
    selectionDetails,
  ],
  examples: [
    { line: 'vtr label codex team=web task=7', about: 'set two labels' },
    { line: 'vtr label codex task=', about: 'remove a label' },
    { line: 'vtr label codex', about: 'print the labels' },
    { line: `vtr label 'build-*' team=web`, about: 'set a label of several sessions' },
  ],
  async run(context, { args, flags }) {
    const words = [args.session, ...args.labels].filter((word) => word !== undefined);
    // A name contains no equals sign.
    const patterns = words[0]?.includes('=') === false ? [words[0]] : [];
    const assignments = words.slice(patterns.length).map(labelAssignment);
    const selection = await selectSessions(context, patterns, flags);
    if (assignments.length === 0) return printLabels(context, flags, selection);
    const changes: LabelChanges = Object.fromEntries(
      assignments.map(([key, value]) => [key, value === '' ? null : value]),
    );
    return actOnEach(context, flags, selection, 'labeled', ({ coordinator, ref }) =>
      coordinator.setLabels(ref, changes),
    );
  },
});

const infosOf = (sessions: Selection['sessions']): Promise<SessionInfo[]> =>
  mapAtMost(sessions, maxCalls, ({ coordinator, ref }) => coordinator.info(ref));

async function printLabels(
  context: Context,
  flags: { readonly json: boolean },
  { sessions, isOne }: Selection,
): Promise<undefined> {
  const infos = await infosOf(sessions);
  const lines = ({ name, labels = {} }: SessionInfo) =>
    isOne ? labelTexts(labels) : [`${name}  ${labelsText(labels)}`.trimEnd()];
  if (await wantsJson(context, flags)) {
    const sessionLabels = infos.map(({ name, labels = {} }) => ({ name, labels }));
    printJson(context, { sessions: sessionLabels }, 4);
  } else for (const line of infos.flatMap(lines)) printPlain(context, `${line}\n`);
}

const watchFlags = {
  ...selectionFlags,
  ...output,
  activity: toggle('any output'),
  silence: duration('no output for this time'),
  bell: toggle('each bell, also one that answers a key'),
  off: toggle('end the watch'),
};

export const watch = defineVerb({
  name: 'watch',
  summary: 'choose for what a session wants you: output, silence, bells',
  args: { session: sessionsArgument },
  flags: watchFlags,
  details: [
    'Such a session wants you until you look at it in vtr attach, vtr ui or the web page: vtr ls, the status line of vtr attach and vtr notify show it, as activity, silence or bell. What it has printed before does not count. Each call replaces the choice of the one before; without flags, prints it.',
    `A silence has ${exactDurationText(minSilenceMs)} to ${exactDurationText(maxSilenceMs)}. Without vtr watch, a session wants you when it asks, fails, is done, has a notification, rings, or has printed nothing for 5 minutes (see vtr notify).`,
    `The choice is the label ${watchLabel}, so that vtr spawn --label ${watchLabel}=activity,silence=30s sets it, too.`,
    selectionDetails,
  ],
  examples: [
    { line: 'vtr watch build --silence 30s', about: 'when it has printed nothing for 30 seconds' },
    { line: 'vtr watch server --activity', about: 'when it prints' },
    { line: 'vtr watch build --off', about: 'end the watch' },
  ],
  async run(context, { args, flags }) {
    const chosen = watchedFor(flags);
    const patterns = args.session === undefined ? [] : [args.session];
    const selection = await selectSessions(context, patterns, flags);
    if (chosen === undefined) return printWatches(context, flags, selection);
    return actOnEach(context, flags, selection, 'watched', ({ coordinator, ref }) =>
      coordinator.setLabels(ref, { [watchLabel]: chosen }),
    );
  },
});

/** Returns the value of the label; null to remove it, undefined to print it. @throws VtrError INVALID_ARGUMENT */
function watchedFor(flags: FlagValues<typeof watchFlags>): string | null | undefined {
  const { activity, silence: silenceMs = null, bell, off } = flags;
  if (silenceMs !== null && (silenceMs < minSilenceMs || silenceMs > maxSilenceMs)) {
    const [from, to] = [minSilenceMs, maxSilenceMs].map(exactDurationText);
    throw new VtrError('INVALID_ARGUMENT', `--silence: use ${from} to ${to}`);
  }
  const text = watchText({ activity, silenceMs, bell });
  if (!off) return text ?? undefined;
  if (text === null) return null;
  throw new VtrError('INVALID_ARGUMENT', '--off cannot be used with other flags');
}

async function printWatches(
  context: Context,
  flags: { readonly json: boolean },
  { sessions, isOne }: Selection,
): Promise<undefined> {
  const infos = await infosOf(sessions);
  const watches = infos.map(({ name, labels }) => ({ name, watch: watchOf(labels) }));
  if (await wantsJson(context, flags)) {
    const each = watches.map(({ name, watch: chosen }) => ({
      name,
      watch: chosen && {
        activity: chosen.activity,
        silence_ms: chosen.silenceMs,
        bell: chosen.bell,
      },
    }));
    printJson(context, { sessions: each }, 4);
    return;
  }
  for (const { name, watch: chosen } of watches) {
    const text = (chosen && watchText(chosen)) ?? 'nothing';
    printPlain(context, isOne ? `${text}\n` : `${name}  ${text}\n`);
  }
}
