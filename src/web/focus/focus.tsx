import { useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { commandText, stateText } from '#model';
import { More } from '../actions/more-menu.tsx';
import { AgentBar, hasAgentBar } from '../agents/agent-bar.tsx';
import { askedBy } from '../agents/answering.ts';
import { placeText } from '../grid/session-filter.ts';
import { addressOf } from '../page/app.ts';
import { hasRoomBeside, isPhone, isTouch } from '../page/device.ts';
import { Evidence, Told } from '../page/evidence.tsx';
import { Icon } from '../page/icon.tsx';
import { type FocusProps, Later } from '../page/later.tsx';
import { titleOfView } from '../page/notify.ts';
import { lastGrid, replayPath } from '../page/route.ts';
import { VisitorName } from '../people/own-name.tsx';
import { DriverBar } from './bars.tsx';
import { CommandList, StickyCommand, useCommandsPanel } from './command-list.tsx';
import { EndedCard } from './ended-card.tsx';
import { sendActions } from './file-sending.ts';
import { Composer, KeyBar } from './key-bar.tsx';
import { Overlays } from './overlays.tsx';
import { placedMarks } from './scroll-marks.ts';
import { SearchBar } from './search-bar.tsx';
import { useCommands, useSpot } from './session-commands.ts';
import { SessionPane } from './session-pane.ts';
import { SizeLabel } from './size-label.tsx';

/** One session, live. */
export function Focus({ app, info, spot }: FocusProps) {
  const host = useRef<HTMLDivElement>(null);
  const leaveTo = useRef<HTMLAnchorElement & HTMLHeadingElement>(null);
  const pane = useSignal<SessionPane | null>(null);
  const showsTranscript = useSignal(false);
  const { id, name } = info;
  const address = addressOf(app, name);
  useEffect(() => {
    if (host.current === null) return;
    const newPane = new SessionPane({
      app,
      host: host.current,
      sessionId: id,
      hasEnded: info.state === 'exited',
      onLeave: () => leaveTo.current?.focus(),
    });
    pane.value = newPane;
    return () => {
      pane.value = null;
      newPane.dispose();
    };
  }, [app, id]);
  // A session that gets another name is driven on.
  useEffect(() => pane.value?.named(name), [pane.value, name]);
  useEffect(() => {
    titleOfView.value = `${address} · vtr`;
  }, [address]);
  const live = pane.value;
  const commands = useCommands(app, live, info);
  const panel = useCommandsPanel(commands, !isPhone() && hasRoomBeside());
  useSpot(app, info, live, spot);
  const isHeld = live?.live.driving.value.driver?.holds ?? false;
  const mayBegin = app.me.write && info.state !== 'exited' && !isHeld;
  const hasTranscript =
    app.me.scope === 'all' && (live?.isFullScreen.value || showsTranscript.value);
  // On a phone, the menu has it, as it has the replay: the bar has room for what is used most.
  const transcript = {
    name: 'Transcript',
    run: () => {
      showsTranscript.value = !showsTranscript.value;
    },
  };
  return (
    <main class="focus">
      <header class="bar">
        {app.me.scope === 'all' ? (
          <>
            <a href={lastGrid.value} ref={leaveTo} class="back" aria-label="All sessions">
              ‹
            </a>
            <h1 title={address}>{address}</h1>
          </>
        ) : (
          // There is nothing else that a visitor may see.
          <h1 ref={leaveTo} tabIndex={-1} title={address}>
            {address}
          </h1>
        )}
        {!(hasAgentBar(app, info) && info.agent !== undefined) && (
          <span class={`state ${info.attention?.kind ?? info.state}`}>
            {info.agent !== undefined && `${info.agent.kind} ${stateText(info)} `}
            {info.attention?.evidence ? (
              <>
                <span class="brief">{info.attention.kind}</span>
                <Evidence {...info.attention} />
              </>
            ) : (
              info.agent === undefined && stateText(info)
            )}
          </span>
        )}
        <Told info={info} />
        <span class="where">{`${commandText(info)} · ${placeText(app, info)}`}</span>
        <span class="gap" />
        {live !== null && (
          <DriverBar pane={live} write={app.me.write} hasEnded={info.state === 'exited'} />
        )}
        {app.me.scope === 'share' && <VisitorName app={app} />}
        {live !== null && <SearchBar app={app} pane={live} info={info} />}
        {hasTranscript && !isPhone() && (
          <button type="button" aria-pressed={showsTranscript.value} onClick={transcript.run}>
            Transcript
          </button>
        )}
        {isPhone() && live !== null && (
          <button
            type="button"
            class="icon"
            aria-label="Reading view"
            title="Wraps long lines"
            aria-pressed={live.isReading.value}
            onClick={() => live.read(!live.isReading.value)}
          >
            <Icon name="text" />
          </button>
        )}
        <button
          type="button"
          class="icon"
          aria-label="Commands"
          title="Commands"
          aria-pressed={panel.isShown}
          onClick={panel.toggle}
        >
          <Icon name="list" />
        </button>
        {app.me.scope === 'all' && !isPhone() && (
          <a class="button icon" href={replayPath(address)} aria-label="Replay" title="Replay">
            <Icon name="history" />
          </a>
        )}
        <More
          app={app}
          info={info}
          also={[
            ...(hasTranscript && isPhone() ? [transcript] : []),
            ...sendActions(app, info, live),
          ]}
        />
      </header>
      <div class="work">
        <div class="stage">
          <div class="pane" ref={host} />
          {live !== null && <ScrollMarksStrip pane={live} />}
          {live !== null && <StickyCommand app={app} pane={live} info={info} commands={commands} />}
          {live !== null && <Overlays pane={live} />}
          {live !== null && <SizeLabel app={app} pane={live} info={info} place="frame" />}
          {showsTranscript.value && live !== null && (
            <Later
              show={({ Transcript }) => (
                <Transcript
                  link={app.link}
                  info={info}
                  revisionNow={() => live.live.terminal?.revision}
                  close={() => {
                    showsTranscript.value = false;
                    live.input.element.focus();
                  }}
                />
              )}
            />
          )}
        </div>
        {panel.isShown && live !== null && (
          <CommandList app={app} pane={live} info={info} commands={commands} />
        )}
      </div>
      {info.state === 'exited' && <EndedCard app={app} info={info} pane={live} />}
      {live !== null && hasAgentBar(app, info) && (
        <AgentBar app={app} info={info} viewer={() => live.live.drivingView} />
      )}
      <p class="hint">
        {live !== null && <SizeLabel app={app} pane={live} info={info} place="hint" />}
        {live?.live.isTyping.value
          ? 'Shift+Escape leaves the terminal · Ctrl+Shift+F searches'
          : `${mayBegin ? 'A letter or Enter begins to type · ' : ''}Ctrl+F searches · Page Up scrolls`}
      </p>
      {live !== null && isTouch() && app.me.write && info.state !== 'exited' && (
        <>
          {info.agent === undefined && askedBy(info) === null && <Composer pane={live} />}
          <KeyBar pane={live} />
        </>
      )}
    </main>
  );
}

/**
 * The marks of a session in a strip beside the scroll bar, which stands for all lines. A click shows the line. For
 * the mouse only: with a keyboard or a screen reader, the lists that set the marks do the same.
 */
function ScrollMarksStrip({ pane }: { readonly pane: SessionPane }) {
  const marks = pane.scrollMarks.all.value;
  const { from, to } = pane.lines.value;
  const first = useMemo(() => Math.min(from, ...marks.map(({ line }) => line)), [marks, from]);
  if (marks.length === 0) return null;
  const { element } = pane.view;
  return (
    <div
      class="scroll-marks"
      aria-hidden="true"
      style={{ right: `${element.offsetWidth - element.clientWidth}px` }}
    >
      {placedMarks(marks, first, to).map(({ at, kind, line, title }) => (
        <button
          type="button"
          tabIndex={-1}
          key={at}
          class={kind}
          style={{ top: `${at / 10}%` }}
          title={title}
          onClick={() => void pane.view.toLine(line)}
        />
      ))}
    </div>
  );
}
