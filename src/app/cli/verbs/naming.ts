import type { LabelChanges, SessionInfo } from '#model';
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

async function printLabels(
  context: Context,
  flags: { readonly json: boolean },
  { sessions, isOne }: Selection,
): Promise<undefined> {
  const infos = await mapAtMost(sessions, maxCalls, ({ coordinator, ref }) =>
    coordinator.info(ref),
  );
  const lines = ({ name, labels = {} }: SessionInfo) =>
    isOne ? labelTexts(labels) : [`${name}  ${labelsText(labels)}`.trimEnd()];
  if (await wantsJson(context, flags)) {
    const sessionLabels = infos.map(({ name, labels = {} }) => ({ name, labels }));
    printJson(context, { sessions: sessionLabels }, 4);
  } else for (const line of infos.flatMap(lines)) printPlain(context, `${line}\n`);
}
