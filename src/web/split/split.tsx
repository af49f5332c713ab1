import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { counted, needOf, type SessionInfo, stateText } from '#model';
import { More } from '../actions/more-menu.tsx';
import { openNewSession } from '../actions/new-session.tsx';
import { DriverBar } from '../focus/bars.tsx';
import { sendActions } from '../focus/file-sending.ts';
import { KeyBar } from '../focus/key-bar.tsx';
import { Overlays } from '../focus/overlays.tsx';
import { SessionPane } from '../focus/session-pane.ts';
import { type App, addressOf, findApp } from '../page/app.ts';
import { isPhone, isTouch } from '../page/device.ts';
import { Icon } from '../page/icon.tsx';
import { titleOfView } from '../page/notify.ts';
import { addressIn, go, lastGrid, maxSplit, sessionPath, splitPath } from '../page/route.ts';
import { rowsOf, useShares } from './shares.ts';

interface SplitProps {
  readonly app: App;
  /** The addresses of the sessions. */
  readonly names: readonly string[];
}

/** Several sessions beside each other. What is typed reaches the one with the focus; the others are watched. */
export function Split({ app, names }: SplitProps) {
  const main = useRef<HTMLElement>(null);
  const isAdding = useSignal(false);
  const canAdd = names.length < maxSplit;
  const adds = canAdd && (names.length === 1 || isAdding.value);
  const count = names.length + (adds ? 1 : 0);
  const { rows, heightOf, widthOf, move } = useShares(rowsOf(count));
  const add = (address: string) => {
    isAdding.value = false;
    go(splitPath([...names, address]));
  };
  useEffect(() => {
    titleOfView.value = `${names.join(', ')} · vtr`;
  }, [names.join()]);
  useFocusKeys(main);
  useDrop(main, canAdd ? add : null);
  let place = 0;
  return (
    <main class="split" ref={main}>
      <header class="bar">
        <a href={lastGrid.value} class="back" aria-label="All sessions">
          ‹
        </a>
        <h1>{counted(names.length, 'session')}</h1>
        <span class="gap" />
        {canAdd && (
          <button
            type="button"
            aria-pressed={adds}
            onClick={() => {
              isAdding.value = !isAdding.value;
            }}
          >
            <Icon name="plus" />
            Add a session
          </button>
        )}
      </header>
      <div class="split-rows">
        {rows.map((columns, row) => (
          <>
            {row > 0 && (
              <Divider isRow move={(by) => move({ row }, by)} label="Height of the rows" />
            )}
            <div class="split-row" style={{ flexGrow: heightOf(row) }}>
              {Array.from({ length: columns }, (_, column) => {
                const name = names[place++];
                return (
                  <>
                    {column > 0 && (
                      <Divider
                        move={(by) => move({ row, column }, by)}
                        label="Width of the columns"
                      />
                    )}
                    <section
                      key={name ?? 'add'}
                      class="split-pane"
                      aria-label={name ?? 'Add a session'}
                      style={{ flexGrow: widthOf(row, column) }}
                    >
                      {name === undefined ? (
                        <Chooser app={app} names={names} add={add} />
                      ) : (
                        <Pane app={app} address={name} names={names} />
                      )}
                    </section>
                  </>
                );
              })}
            </div>
          </>
        ))}
      </div>
    </main>
  );
}

/** F6, and Ctrl+Alt with an arrow, go to another pane. A program that has the keyboard gets F6. */
function useFocusKeys(main: { readonly current: HTMLElement | null }): void {
  useEffect(() => {
    const element = main.current;
    if (element === null) return;
    const pressed = (event: KeyboardEvent) => {
      const by = stepOf(event);
      if (by === 0) return;
      event.preventDefault();
      event.stopPropagation();
      const panes = [...element.querySelectorAll('.split-pane')];
      const at = panes.findIndex((each) => each.contains(document.activeElement));
      const next = panes[(at + by + panes.length) % panes.length];
      const field = next?.querySelector<HTMLElement>('.keys');
      (field ?? next?.querySelector<HTMLElement>('button, a'))?.focus();
      next?.scrollIntoView({ inline: 'center' });
    };
    element.addEventListener('keydown', pressed, { capture: true });
    return () => element.removeEventListener('keydown', pressed, { capture: true });
  }, []);
}

/** A tile that is dropped is added: a browser drags the address of its link. */
function useDrop(
  main: { readonly current: HTMLElement | null },
  add: ((address: string) => void) | null,
): void {
  useEffect(() => {
    const element = main.current;
    if (element === null || add === null) return;
    const end = new AbortController();
    const until = { signal: end.signal };
    element.addEventListener('dragover', (event) => event.preventDefault(), until);
    const drop = (event: DragEvent) => {
      event.preventDefault();
      const address = addressIn(event.dataTransfer?.getData('text/uri-list') ?? '');
      if (address !== null) add(address);
    };
    element.addEventListener('drop', drop, until);
    return () => end.abort();
  });
}

function stepOf({ key, ctrlKey, altKey, shiftKey, target }: KeyboardEvent): -1 | 0 | 1 {
  if (ctrlKey && altKey) {
    if (key === 'ArrowRight' || key === 'ArrowDown') return 1;
    return key === 'ArrowLeft' || key === 'ArrowUp' ? -1 : 0;
  }
  const isTyping = target instanceof Element && target.closest('.typing') !== null;
  if (key !== 'F6' || ctrlKey || altKey || isTyping) return 0;
  return shiftKey ? -1 : 1;
}

interface PaneProps {
  readonly app: App;
  readonly address: string;
  readonly names: readonly string[];
}

function Pane({ app, address, names }: PaneProps) {
  const { at, name } = findApp(app, address);
  const info = at?.sessions.named(name) ?? null;
  const id = useRef<string | null>(null);
  id.current ??= info?.id ?? null;
  const others = names.filter((each) => each !== address);
  // The session may have got another name.
  const now = info ?? at?.sessions.all.value?.get(id.current ?? '') ?? null;
  if (at !== null && now !== null) {
    return <SessionInPane key={now.id} app={at} info={now} names={names} address={address} />;
  }
  return (
    <div class="empty">
      <p>{`There is no session ${address}.`}</p>
      <a class="button" href={splitPath(others)}>
        Close
      </a>
    </div>
  );
}

interface SessionInPaneProps extends PaneProps {
  readonly info: SessionInfo;
}

function SessionInPane({ app, info, names, address }: SessionInPaneProps) {
  const host = useRef<HTMLDivElement>(null);
  const title = useRef<HTMLAnchorElement>(null);
  const pane = useSignal<SessionPane | null>(null);
  const isActive = useSignal(names[0] === address);
  const { id, name, state } = info;
  useEffect(() => {
    if (host.current === null) return;
    const section = host.current.closest('.split-pane');
    const newPane = new SessionPane({
      app,
      host: host.current,
      sessionId: id,
      hasEnded: state === 'exited',
      isActive: () => isActive.value,
      onLeave: () => title.current?.focus(),
    });
    pane.value = newPane;
    const follow = ({ target }: FocusEvent) => {
      if (!(target instanceof Node && target.isConnected)) return;
      const isInside = section?.contains(target) ?? false;
      if (isActive.value && !isInside && target instanceof Element && target.closest('.split-pane'))
        newPane.live.rest();
      if (isInside || target instanceof Element) isActive.value = isInside;
    };
    document.addEventListener('focusin', follow);
    return () => {
      document.removeEventListener('focusin', follow);
      pane.value = null;
      newPane.dispose();
    };
  }, [app, id]);
  useEffect(() => pane.value?.named(name), [pane.value, name]);
  const live = pane.value;
  const now = addressOf(app, name);
  const others = names.filter((each) => each !== address);
  const close = { name: 'Close', run: () => go(splitPath(others)) };
  const isTyping = live?.live.isTyping.value ?? false;
  const isInUse = isPhone() || isActive.value;
  const hasKeys = isTouch() && isInUse && app.me.write && state !== 'exited';
  return (
    <div class={`split-session ${isTyping ? 'typing' : ''}`}>
      <div class="pane-bar">
        <span class={`dot ${needOf(info)} ${state}`} />
        <a href={sessionPath(now)} class="cut" ref={title}>
          {now}
        </a>
        <span class="cut soft">{stateText(info)}</span>
        <span class="gap" />
        {live !== null && (
          <DriverBar pane={live} write={app.me.write} hasEnded={state === 'exited'} />
        )}
        <More app={app} info={info} also={[close, ...sendActions(app, info, live)]} />
      </div>
      <div class="stage">
        <div class="pane" ref={host} />
        {live !== null && <Overlays pane={live} />}
      </div>
      {live !== null && hasKeys && <KeyBar pane={live} />}
    </div>
  );
}

interface ChooserProps {
  readonly app: App;
  readonly names: readonly string[];
  readonly add: (address: string) => void;
}

/** Chooses the next session. */
function Chooser({ app, names, add }: ChooserProps) {
  const all = [app, ...app.others.value].flatMap((each) =>
    each.sessions.ordered.value.map((info) => ({ name: addressOf(each, info.name), info })),
  );
  return (
    <div class="chooser">
      <h2>Add a session</h2>
      <button type="button" onClick={() => openNewSession(app, add)}>
        <Icon name="plus" />
        New
      </button>
      <ul class="list">
        {all
          .filter(({ name }) => !names.includes(name))
          .map(({ name, info }) => (
            <li key={info.id}>
              <button type="button" onClick={() => add(name)}>
                <span class={`dot ${needOf(info)} ${info.state}`} />
                <span class="cut">{name}</span>
                <span class="cut soft">{stateText(info)}</span>
              </button>
            </li>
          ))}
      </ul>
    </div>
  );
}

/** By how much an arrow key moves a line between panes, as a share of the whole. */
const step = 0.05;

interface DividerProps {
  readonly label: string;
  /** Whether it is between rows. */
  readonly isRow?: boolean;
  /** Moves it right or down, by a share of the whole. */
  readonly move: (by: number) => void;
}

/** A line between panes: a pointer drags it, arrow keys move it. */
function Divider({ label, isRow = false, move }: DividerProps) {
  const last = useRef<number | null>(null);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a rule of HTML takes no focus
    <div
      class="split-divider"
      role="separator"
      aria-label={label}
      aria-orientation={isRow ? 'horizontal' : 'vertical'}
      aria-valuenow={50}
      tabIndex={0}
      onPointerDown={(event) => {
        last.current = isRow ? event.clientY : event.clientX;
        event.currentTarget.setPointerCapture(event.pointerId);
        event.preventDefault();
      }}
      onPointerMove={({ clientX, clientY, currentTarget: { parentElement } }) => {
        if (last.current === null || parentElement === null) return;
        const now = isRow ? clientY : clientX;
        const whole = isRow ? parentElement.clientHeight : parentElement.clientWidth;
        move((now - last.current) / whole);
        last.current = now;
      }}
      onPointerUp={() => {
        last.current = null;
      }}
      onKeyDown={(event) => {
        const by = { ArrowLeft: -step, ArrowUp: -step, ArrowRight: step, ArrowDown: step }[
          event.key
        ];
        if (by === undefined || event.ctrlKey) return;
        event.preventDefault();
        move(by);
      }}
    />
  );
}
