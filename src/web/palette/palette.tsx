import { useComputed, useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { defined, durationText, queryMatches } from '#base';
import { commandText, counted, directoryOf, needOf, type SessionInfo, stateText } from '#model';
import { openNewSession } from '../actions/new-session.tsx';
import { sessionActions } from '../actions/session-actions.ts';
import { machineOf, placeText, placeWordOf } from '../grid/session-filter.ts';
import { durationMs } from '../link/values.ts';
import { type App, addressOf, findApp, type Placed } from '../page/app.ts';
import { closeDialog, Dialog, openDialog } from '../page/dialog.tsx';
import { go, gridPath, route, sessionPath } from '../page/route.ts';
import { pageKeys } from './page-keys.ts';

/** Something that can be chosen in the palette. */
export interface Choice {
  readonly kind: 'session' | 'action' | 'view' | 'command' | 'directory' | 'machine';
  readonly name: string;
  /** What it is about, beside the name. */
  readonly about: string;
  readonly key?: string;
  /** Not shown before something is typed. */
  readonly isLater?: true;
  readonly run: () => void;
}

/** The most choices that are shown. */
const maxShown = 60;
/** The most commands of a session that can be chosen. */
const maxCommands = 100;

/** Returns the choices in which all words of a query occur, the best first; without a query, those to begin with. */
function matchingChoices(choices: readonly Choice[], query: string): readonly Choice[] {
  if (query.trim() === '') return choices.filter(({ isLater }) => !isLater).slice(0, maxShown);
  const matches = queryMatches(choices, query, ({ kind, name, about }) =>
    // The path of a directory has many words in which a query may begin: it is no name.
    kind === 'directory' ? ['', name] : [name, about],
  );
  const scoreOf = ({ item, score }: (typeof matches)[number]) => score + (item.isLater ? 0 : 1);
  return matches
    .sort((a, b) => scoreOf(b) - scoreOf(a))
    .slice(0, maxShown)
    .map(({ item }) => item);
}

/** Opens the palette. @param extra what else can be chosen, such as settings */
export function openPalette(app: App, extra: readonly Choice[] = []): void {
  const current = currentSession(app);
  openDialog(() => <Palette app={app} current={current} extra={extra} />);
}

/** The session in view, or that of the tile with the focus. */
function currentSession(app: App): { readonly app: App; readonly info: SessionInfo } | null {
  const at = route.value;
  const tile = document.activeElement?.closest<HTMLElement>('[data-session]');
  const address =
    at.view === 'session' || at.view === 'replay' ? at.name : tile?.dataset['session'];
  if (address === undefined) return null;
  const { at: place, name } = findApp(app, address);
  const info = place?.sessions.named(name) ?? null;
  return place === null || info === null ? null : { app: place, info };
}

interface PaletteProps {
  readonly app: App;
  readonly current: ReturnType<typeof currentSession>;
  readonly extra: readonly Choice[];
}

function Palette({ app, current, extra }: PaletteProps) {
  const query = useSignal('');
  const at = useSignal(0);
  const commands = useCommands(current);
  const list = useRef<HTMLDivElement>(null);
  const all = useMemo(
    () => [
      ...nextChoice(app, current),
      ...actionsOf(current),
      ...pageChoices(app),
      ...machineChoices(app),
      ...extra,
      ...sessionChoices(app, current),
    ],
    [],
  );
  const shown = useComputed(() => matchingChoices([...all, ...commands.value], query.value));
  const choose = (choice: Choice | undefined) => {
    if (choice === undefined) return;
    closeDialog();
    choice.run();
  };
  const select = (to: number) => {
    const { length } = shown.value;
    at.value = length === 0 ? 0 : (to + length) % length;
    list.current?.children[at.value]?.scrollIntoView({ block: 'nearest' });
  };
  const pressed = (event: KeyboardEvent) => {
    if (event.isComposing) return;
    const to = { ArrowDown: at.value + 1, ArrowUp: at.value - 1 }[event.key];
    if (to !== undefined) select(to);
    else if (event.key === 'Enter') choose(shown.value[at.value]);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog label="Palette" class="dialog palette">
      <input
        role="combobox"
        aria-label="Palette"
        aria-expanded="true"
        aria-controls="palette-options"
        aria-activedescendant={`palette-${at.value}`}
        aria-autocomplete="list"
        placeholder="A session, an action, a directory, a command"
        autocomplete="off"
        spellcheck={false}
        value={query.value}
        onInput={({ currentTarget }) => {
          query.value = currentTarget.value;
          at.value = 0;
        }}
        onKeyDown={pressed}
      />
      <div id="palette-options" role="listbox" tabIndex={-1} aria-label="Found" ref={list}>
        {shown.value.map((choice, index) => (
          <Option
            key={`${choice.kind} ${choice.name} ${choice.about}`}
            choice={choice}
            id={`palette-${index}`}
            isSelected={index === at.value}
            choose={choose}
          />
        ))}
      </div>
      {shown.value.length === 0 && <p class="soft">Nothing matches.</p>}
    </Dialog>
  );
}

interface OptionProps {
  readonly choice: Choice;
  readonly id: string;
  readonly isSelected: boolean;
  readonly choose: (choice: Choice) => void;
}

/** A choice. The keys are those of the field, which keeps the focus. */
function Option({ choice, id, isSelected, choose }: OptionProps) {
  const { kind, name, about, key } = choice;
  return (
    <button
      type="button"
      id={id}
      role="option"
      tabIndex={-1}
      aria-selected={isSelected}
      aria-label={name}
      aria-description={`${kind}${about === '' ? '' : `, ${about}`}`}
      onMouseDown={(event) => event.preventDefault()}
      onClick={() => choose(choice)}
    >
      <span class="kind soft">{kind}</span>
      <span class="cut">{name}</span>
      <span class="cut soft">{about}</span>
      {key !== undefined && <kbd>{key}</kbd>}
    </button>
  );
}

/** What can be done with a session; with its name, if it is not the one in view. */
function actionsOf(current: PaletteProps['current'], isLater?: true): Choice[] {
  if (current === null) return [];
  const { app, info } = current;
  return sessionActions(app, info).map(({ name, key, run }) => ({
    kind: 'action',
    name,
    about: addressOf(app, info.name),
    run,
    ...defined({ key, isLater }),
  }));
}

function pageChoices(app: App): Choice[] {
  const view = (name: string, path: string, about = ''): Choice => ({
    kind: 'view',
    name,
    about,
    run: () => go(path),
  });
  const help: Choice = {
    kind: 'view',
    name: 'Keys',
    about: 'what the keys of the page do',
    key: '?',
    run: openKeys,
  };
  if (app.me.scope !== 'all') return [help];
  return [
    { kind: 'action', name: 'New session', about: '', key: 'c', run: () => openNewSession(app) },
    view('All sessions', gridPath({})),
    view('By directory', gridPath({ byDirectory: true }), 'all sessions'),
    view('Recordings', '#/f'),
    help,
  ];
}

/** The machines of the page, if there are several: each leads to its sessions. */
function machineChoices(app: App): Choice[] {
  const apps = [app, ...app.others.value];
  if (apps.length === 1) return [];
  return apps.map((each) => ({
    kind: 'machine',
    name: machineOf(each),
    about: counted(each.sessions.ordered.value.length, 'session'),
    run: () => go(gridPath({ query: placeWordOf('machine', machineOf(each)) })),
  }));
}

const placedIn = (app: App): readonly Placed[] =>
  [app, ...app.others.value].flatMap((each) =>
    each.sessions.ordered.value.map((info) => ({ app: each, info })),
  );

/** The way to the next session that asks, from one that may ask itself. */
function nextChoice(app: App, current: PaletteProps['current']): Choice[] {
  const asking = placedIn(app).filter(({ info }) => needOf(info) === 'asks');
  const at = asking.findIndex(({ info }) => info.id === current?.info.id);
  const next = asking[(at + 1) % Math.max(1, asking.length)];
  if (next === undefined || next.info.id === current?.info.id) return [];
  const name = addressOf(next.app, next.info.name);
  return [{ kind: 'view', name: 'Next that asks', about: name, run: () => go(sessionPath(name)) }];
}

/** All sessions, what can be done with them, and their directories. */
function sessionChoices(app: App, current: PaletteProps['current']): Choice[] {
  const placed = placedIn(app);
  const sessions = placed.map(({ app: at, info }): Choice => {
    const name = addressOf(at, info.name);
    const about = [stateText(info), commandText(info), placeText(at, info)];
    return { kind: 'session', name, about: about.join(' · '), run: () => go(sessionPath(name)) };
  });
  const directories = [...new Set(placed.map(({ info }) => directoryOf(info)))].map(
    (name): Choice => ({
      kind: 'directory',
      name,
      about: '',
      isLater: true,
      run: () => go(gridPath({ query: placeWordOf('dir', name) })),
    }),
  );
  const others = placed.filter(({ info }) => info.id !== current?.info.id);
  return [...sessions, ...directories, ...others.flatMap((each) => actionsOf(each, true))];
}

/** The commands of the shell in view, newest first: each leads to where it began. */
function useCommands(current: PaletteProps['current']) {
  const commands = useSignal<readonly Choice[]>([]);
  useEffect(() => {
    if (current === null) return;
    const { app, info } = current;
    const { name, id: sessionId } = info;
    app.link.call('ListCommands', { name, sessionId, last: maxCommands }).then(
      ({ commands: all = [] }) => {
        commands.value = all
          .toReversed()
          .map(({ line = '', number = '0', duration, exitCode }) => ({
            kind: 'command',
            name: line || `command ${number}`,
            about: `${exitCode ?? ''} ${durationText(Math.round(durationMs(duration)))}`,
            isLater: true,
            run: () => go(sessionPath(addressOf(app, name), { command: Number(number) })),
          }));
      },
      () => {},
    );
  }, []);
  return commands;
}

/** Shows the keys of the page. */
export function openKeys(): void {
  const places = [...new Set(pageKeys.map(({ where }) => where))];
  openDialog(() => (
    <Dialog label="Keys" class="dialog keys-help">
      <header>Keys</header>
      {places.map((place) => (
        <section key={place} aria-label={place}>
          <h3>{`${place.charAt(0).toUpperCase()}${place.slice(1)}`}</h3>
          <dl>
            {pageKeys
              .filter(({ where }) => where === place)
              .map(({ keys, about }) => (
                <div key={keys}>
                  <dt>
                    {keys.split(', ').map((each) => (
                      <kbd key={each}>{each}</kbd>
                    ))}
                  </dt>
                  <dd>{about}</dd>
                </div>
              ))}
          </dl>
        </section>
      ))}
      <div class="actions">
        <button type="button" onClick={closeDialog}>
          Close
        </button>
      </div>
    </Dialog>
  ));
}
