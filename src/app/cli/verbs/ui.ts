import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  checkWritePath,
  makeDirectory,
  overwriteFile,
  readConfigFile,
  removeFile,
  stateHome,
} from '#config';
import { ioError, VtrError } from '#model';
import { text, toggle } from '../arguments/flags.ts';
import { output, reach } from '../arguments/shared-flags.ts';
import { verbLine } from '../completion/verb-line.ts';
import type { Context } from '../context.ts';
import { chosenCoordinators, linkOptions } from '../coordinators/known-coordinators.ts';
import { printJson, wantsJson } from '../output/printing.ts';
import { defineVerb } from '../verb.ts';
import { settingsOf } from './attach.ts';
import { paneKeys, uiKeys } from './key-help.gen.ts';
import { tmuxLink } from './run-tmux.ts';

const suffix = '.json';

/** Where layouts are remembered. */
const layoutsDirectory = (context: Context): string => join(stateHome(context), 'layouts');

const fileOf = (context: Context, name: string): string =>
  join(layoutsDirectory(context), `${name}${suffix}`);

/** Returns the layouts that are remembered, by name. @throws VtrError IO_ERROR */
function layoutNames(context: Context): string[] {
  const directory = layoutsDirectory(context);
  try {
    return readdirSync(directory)
      .filter((file) => file.endsWith(suffix) && !file.startsWith('.'))
      .map((file) => file.slice(0, -suffix.length))
      .sort();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw ioError(directory, 'read', error);
  }
}

/** @throws VtrError IO_ERROR, INVALID_ARGUMENT for what another user has put there */
function saveLayout(context: Context, name: string, saved: string): void {
  const directory = layoutsDirectory(context);
  checkWritePath(directory);
  try {
    makeDirectory(directory);
  } catch (error) {
    throw ioError(directory, 'made', error);
  }
  overwriteFile(fileOf(context, name), saved, { mode: 0o600 });
}

/** @throws VtrError INVALID_ARGUMENT */
function checkLayouts(
  { layout }: { readonly layout: string | undefined },
  {
    list,
    remove,
    json,
  }: { readonly list: boolean; readonly remove: boolean; readonly json: boolean },
): void {
  const wrong = (message: string): never => {
    throw new VtrError('INVALID_ARGUMENT', message);
  };
  if (list && (remove || layout !== undefined)) wrong('--list has no layout and no other flag');
  if (remove && layout === undefined)
    wrong('--remove needs the name of a layout; vtr ui --list lists them');
  if (json && !list) wrong('--json needs --list');
}

/** @throws VtrError IO_ERROR, INVALID_ARGUMENT if there is no such layout */
function removeLayout(context: Context, name: string): void {
  const names = layoutNames(context);
  if (!names.includes(name)) {
    const list = names.length === 0 ? 'there are none' : `there are ${names.join(', ')}`;
    throw new VtrError('INVALID_ARGUMENT', `there is no layout ${name}; ${list}`);
  }
  removeFile(fileOf(context, name));
}

export const ui = defineVerb({
  name: 'ui',
  summary: 'show all sessions in this terminal, and use several side by side',
  args: {
    layout: {
      about: 'layout to show and to remember, or tmux:NAME for a session of tmux',
      optional: true,
    },
  },
  flags: {
    ...reach,
    leader: text('KEY', 'key before the commands in a pane (default: ctrl+b), or none'),
    list: toggle('list the layouts that are remembered'),
    remove: toggle('forget the layout; its sessions go on'),
    ...output,
  },
  details: [
    'Lists the sessions of all known coordinators: what each is doing and says, its command, directory and driver. The selected session is shown live. Enter shows it in a pane, in which you type as in vtr attach, beside a side bar: projects (directories, or a label with d), and their sessions with what each asks. A window has tabs, each with up to 9 panes. In windows narrower than 64 columns, the list takes the place of the side bar.',
    'With LAYOUT, tabs, panes, their sessions and sizes are remembered by that name, also after a restart of the machine. Each terminal has its own view of a layout; the one that changes it last is remembered.',
    'The side bar also has the sessions of tmux (vtr tmux) with their windows. Each is shown in a tab of its own, as its server lays it out: keys after Ctrl+b are those after the prefix of tmux, except those for the side bar, the list, tabs with Alt, and leaving.',
    'Mouse: a click gives a pane the focus, or opens a session of the side bar. Dragging moves borders and the edge of the side bar, selects and copies text, and swaps panes by their titles or moves them to a tab; a double click selects a word, on a title zooms, and names a tab. A click on a tab shows it, and dragging moves it. The wheel scrolls what is under it. The right button opens a menu; with Ctrl or Alt, it is for the program. In the list, a click selects, and a double click opens.',
    'Keys in the list:',
    uiKeys,
    'Keys after Ctrl+b in a pane; others are those of vtr attach:',
    paneKeys,
    'The keys are configured by [keys.ui] and [keys.panes] in config.toml, those without the leader by [keys.direct].',
    'An answer is sent only if the session still asks what is shown.',
  ],
  examples: [
    { line: 'vtr ui', about: 'show all sessions' },
    { line: 'vtr ui work', about: 'show the tabs of the layout work, and remember them' },
    { line: 'vtr ui tmux:work', about: 'show the session work of tmux' },
    { line: 'vtr ui --list', about: 'list the layouts' },
    { line: 'vtr ui --coordinator ci', about: 'show the sessions of one coordinator' },
  ],
  async run(context, { args, flags }) {
    checkLayouts(args, flags);
    const { layout } = args;
    if (flags.list) {
      const names = layoutNames(context);
      if (await wantsJson(context, flags)) printJson(context, { layouts: names });
      else context.out(names.map((name) => `${name}\n`).join(''));
      return undefined;
    }
    if (flags.remove && layout !== undefined) {
      removeLayout(context, layout);
      return undefined;
    }
    if (!process.stdin.isTTY || !process.stdout.isTTY) {
      const message = 'vtr ui needs a terminal at stdin and stdout; in a script, use vtr ls';
      throw new VtrError('INVALID_ARGUMENT', message);
    }
    const [tui, { attach: configured, keys }] = await Promise.all([
      import('#app/tui'),
      context.config(),
      // A name that is not known is an error before anything is shown.
      chosenCoordinators(context, flags.coordinator),
    ]);
    const [, tmux] = /^tmux:(.+)$/su.exec(layout ?? '') ?? [];
    const isLayout = layout !== undefined && tmux === undefined;
    const problem = isLayout ? tui.layoutNameProblem(layout) : null;
    if (problem !== null) throw new VtrError('INVALID_ARGUMENT', problem);
    await tui.ui({
      env: context.env,
      links: async () => {
        const coordinators = await chosenCoordinators(context, flags.coordinator);
        return coordinators.map((each) =>
          tui.linkTo({ ...linkOptions(context, each), tmux: tmuxLink(context, each) }),
        );
      },
      ...settingsOf(configured, { keys, leader: flags.leader }),
      verbs: verbLine(context),
      layouts: {
        load: (name) => readConfigFile(fileOf(context, name)),
        save: (name, saved) => saveLayout(context, name, saved),
      },
      ...(isLayout ? { layout } : { tmux }),
    });
    return undefined;
  },
});
