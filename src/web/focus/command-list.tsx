import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { durationText } from '#base';
import type { CommandJson } from '#messages';
import type { SessionInfo } from '#model';
import { errorText } from '../link/link.ts';
import { durationMs } from '../link/values.ts';
import type { App } from '../page/app.ts';
import type { SessionPane } from './session-pane.ts';

/** The most commands that are listed. */
const listed = 200;

/** The commands of the session's shell, newest first. A click shows where one began. */
export function CommandList({
  app,
  pane,
  info,
}: {
  readonly app: App;
  readonly pane: SessionPane;
  readonly info: SessionInfo;
}) {
  const commands = useSignal<readonly CommandJson[]>([]);
  const why = useSignal('');
  const marks = pane.marks.value;
  const { name, id: sessionId } = info;
  useEffect(() => {
    const load = () =>
      app.link
        .call('ListCommands', { name, sessionId, last: listed })
        .then(({ commands: all = [], integrationReason = '' }) => {
          commands.value = all.toReversed();
          why.value = integrationReason;
        })
        .catch((error) => {
          why.value = errorText(error);
        });
    let timer: ReturnType<typeof setTimeout> | undefined;
    // Several marks come with one command.
    const off = app.link.onUp(() => {
      timer = setTimeout(load, 100);
    });
    return () => {
      clearTimeout(timer);
      off();
    };
  }, [app, name, sessionId, marks]);
  return (
    <nav class="commands" aria-label="Commands">
      {commands.value.length === 0 && (
        <p>{why.value === '' ? 'No commands yet' : `No commands: ${why.value}`}</p>
      )}
      <ol reversed>
        {commands.value.map((command) => (
          <li key={command.number}>
            <button type="button" onClick={() => pane.view.toLine(lineOf(command))}>
              <span class={`status ${statusClass(command)}`}>{statusText(command)}</span>
              <code>{command.line ?? `command ${command.number}`}</code>
              <small>
                {command.unverified ? 'unverified, ' : ''}
                {durationText(Math.round(durationMs(command.duration)))}
              </small>
            </button>
          </li>
        ))}
      </ol>
    </nav>
  );
}

/** Returns the line in which it was typed: the one before its output. */
const lineOf = ({ from }: CommandJson): number => Math.max(0, Number(from?.line ?? 0) - 1);

const isRunning = ({ state }: CommandJson): boolean => state === 'COMMAND_STATE_RUNNING';

function statusClass(command: CommandJson): string {
  if (isRunning(command)) return 'running';
  return (command.exitCode ?? 0) === 0 ? 'good' : 'bad';
}

function statusText(command: CommandJson): string {
  if (isRunning(command)) return '…';
  return command.exitCode === undefined ? '?' : String(command.exitCode);
}
