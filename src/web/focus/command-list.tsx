import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { durationText } from '#base';
import { counted, type SessionInfo } from '#model';
import { errorText } from '../link/link.ts';
import { Age } from '../page/age.tsx';
import { type App, addressOf } from '../page/app.ts';
import { keptFlag, keptValue } from '../page/kept.ts';
import { say } from '../page/notices.tsx';
import { sessionPath } from '../page/route.ts';
import {
  commandMs,
  type ListedCommand,
  lineOf,
  type SessionCommands,
  statusOf,
  statusText,
} from './session-commands.ts';
import type { SessionPane } from './session-pane.ts';

/** The width of the panel, in CSS pixels. */
const widths = { least: 200, usual: 320, most: 700, step: 20 } as const;
/** The most output that is copied, in bytes. */
const copiedBytes = 1_048_576;

const within = (value: number): number =>
  Math.round(Math.min(widths.most, Math.max(widths.least, value)));

const isOpen = keptFlag('commands.open', true);
const width = keptValue<number>('commands.width', widths.usual, (value) =>
  typeof value === 'number' && Number.isFinite(value) ? within(value) : undefined,
);

/**
 * Returns whether the panel is shown, and shows or hides it. It stays as the person left it, also in other sessions;
 * one without commands is shown only where it is asked for.
 *
 * @param hasRoom whether it fits beside a terminal
 */
export function useCommandsPanel(
  { all }: SessionCommands,
  hasRoom: boolean,
): { readonly isShown: boolean; readonly toggle: () => void } {
  const isAsked = useSignal<boolean | null>(null);
  const isShown = isAsked.value ?? (isOpen.value && hasRoom && all.length > 0);
  return {
    isShown,
    toggle: () => {
      isAsked.value = !isShown;
      if (hasRoom) isOpen.value = !isShown;
    },
  };
}

interface ListProps {
  readonly app: App;
  readonly pane: SessionPane;
  readonly info: SessionInfo;
  readonly commands: SessionCommands;
}

/** The commands of the session, newest first. A click shows where one began. */
export function CommandList({ app, pane, info, commands: { all, why, inView } }: ListProps) {
  const canRun = app.me.write && info.activity?.state === 'at_prompt';
  return (
    <>
      <Divider />
      <nav class="commands" aria-label="Commands" style={{ width: `${width.value}px` }}>
        {all.length === 0 && <p>{why === '' ? 'No commands yet' : `No commands: ${why}`}</p>}
        <ol reversed>
          {all.map((command) => (
            <li
              key={`${command.byAgent?.agent ?? ''} ${command.number}`}
              class="command"
              aria-current={command === inView ? 'true' : undefined}
            >
              <Jump pane={pane} command={command} />
              <span class="command-more">
                <When command={command} />
                <CommandActions
                  app={app}
                  pane={pane}
                  info={info}
                  command={command}
                  canRun={canRun}
                />
              </span>
            </li>
          ))}
        </ol>
      </nav>
    </>
  );
}

/** The command whose output is in view, above it, while the person reads back. */
export function StickyCommand({ app, pane, info, commands: { inView } }: ListProps) {
  if (inView === null) return null;
  return (
    <div class="sticky-command command">
      <Jump pane={pane} command={inView} />
      <span class="command-more">
        <When command={inView} />
        <CommandActions app={app} pane={pane} info={info} command={inView} canRun={false} />
      </span>
    </div>
  );
}

const signs = { running: '…', good: '✓', bad: '✗', unknown: '' } as const;

function Jump({ pane, command }: { readonly pane: SessionPane; readonly command: ListedCommand }) {
  const line = lineOf(command);
  const status = statusOf(command);
  return (
    <button
      type="button"
      class="jump quiet"
      title={command.line}
      onClick={() => {
        if (line !== null) void pane.view.toLine(line);
      }}
    >
      <span class={`status ${status}`}>
        <span aria-hidden="true">{signs[status]}</span>
        <span class={status === 'good' || status === 'running' ? 'announced' : ''}>
          {statusText(command)}
        </span>
      </span>
      <code>{command.line ?? `command ${command.number}`}</code>
    </button>
  );
}

/** Who ran a command, for how long, and when. */
function When({ command }: { readonly command: ListedCommand }) {
  const { byAgent, duration, startedAt, unverified = false } = command;
  const about = [
    ...(unverified ? ['unverified'] : []),
    ...(byAgent === undefined ? [] : [byAgent.agent ?? 'reported']),
    ...(duration === undefined ? [] : [durationText(commandMs(command))]),
  ].join(', ');
  return (
    <small>
      {about}
      {startedAt !== undefined && (
        <>
          {about === '' ? '' : ' · '}
          <Age atMs={Date.parse(startedAt)} />
        </>
      )}
    </small>
  );
}

interface ActionsProps {
  readonly app: App;
  readonly pane: SessionPane;
  readonly info: SessionInfo;
  readonly command: ListedCommand;
  /** Whether the shell is at its prompt, and the person may type. */
  readonly canRun: boolean;
}

function CommandActions({ app, pane, info, command, canRun }: ActionsProps) {
  const { line, byAgent, unverified = false } = command;
  // What an agent ran has its output in the agent, and no number of the shell.
  const isOfShell = byAgent === undefined;
  return (
    <span class="command-actions">
      {isOfShell && (
        <button
          type="button"
          aria-label="Copy output"
          title="Copy output"
          onClick={() => void copyOutput(app, info, command)}
        >
          Output
        </button>
      )}
      {line !== undefined && (
        <button
          type="button"
          aria-label="Copy command"
          title="Copy command"
          onClick={() => copy(line, 'Copied the command')}
        >
          Command
        </button>
      )}
      {isOfShell && (
        <button
          type="button"
          aria-label="Copy link"
          title="Copy a link to this command"
          onClick={() => {
            const path = sessionPath(addressOf(app, info.name), { command: command.number ?? 0 });
            copy(`${location.origin}/${path}`, 'Copied the link');
          }}
        >
          Link
        </button>
      )}
      {/* Any output can contain the line of an unverified command. */}
      {canRun && isOfShell && line !== undefined && !unverified && (
        <button
          type="button"
          aria-label="Run again"
          title="Run again"
          onClick={() => {
            pane.live.paste(line);
            pane.live.key({ key: 'enter' });
            pane.view.toEnd();
            pane.input.element.focus();
          }}
        >
          Again
        </button>
      )}
    </span>
  );
}

function copy(text: string, done: string): void {
  navigator.clipboard
    .writeText(text)
    .then(() => say(done))
    .catch(() => say('The browser refused to copy'));
}

async function copyOutput(
  app: App,
  info: SessionInfo,
  { number = 0 }: ListedCommand,
): Promise<void> {
  try {
    const answer = await app.link.call('GetCommandOutput', {
      name: info.name,
      sessionId: info.id,
      command: { number: String(number) },
      budget: { maxBytes: String(copiedBytes), keep: 'KEPT_PART_TAIL' },
      // A person sees what is there.
      redact: false,
    });
    const { head = '', tail = '', omitted } = answer.text ?? {};
    const text = head + tail;
    const lines = counted(text.replace(/\n$/, '').split('\n').length, 'line');
    const cut = omitted === undefined ? '' : `, without the first ${omitted.lines ?? ''} lines`;
    copy(text, text === '' ? 'The output is empty' : `Copied ${lines}${cut}`);
  } catch (error) {
    say(errorText(error));
  }
}

/** Between the terminal and the panel: a mouse drags it, arrow keys move it. */
function Divider() {
  const from = useRef<{ readonly x: number; readonly width: number } | null>(null);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a rule of HTML takes no focus
    <div
      class="divider"
      role="separator"
      aria-orientation="vertical"
      aria-label="Width of the commands"
      aria-valuenow={width.value}
      aria-valuemin={widths.least}
      aria-valuemax={widths.most}
      tabIndex={0}
      onPointerDown={(event) => {
        from.current = { x: event.clientX, width: width.value };
        event.currentTarget.setPointerCapture(event.pointerId);
        event.preventDefault();
      }}
      onPointerMove={({ clientX }) => {
        if (from.current !== null)
          width.value = within(from.current.width + from.current.x - clientX);
      }}
      onPointerUp={() => {
        from.current = null;
      }}
      onDblClick={() => {
        width.value = widths.usual;
      }}
      onKeyDown={(event) => {
        const by = { ArrowLeft: widths.step, ArrowRight: -widths.step }[event.key];
        if (by === undefined) return;
        event.preventDefault();
        width.value = within(width.value + by);
      }}
    />
  );
}
