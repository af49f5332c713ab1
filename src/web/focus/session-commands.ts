import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { durationText } from '#base';
import type { AgentCommandJson, CommandJson } from '#messages';
import type { SessionInfo } from '#model';
import { errorText } from '../link/link.ts';
import { durationMs } from '../link/values.ts';
import type { App } from '../page/app.ts';
import { say } from '../page/notices.tsx';
import { lineInView, type Spot } from '../page/route.ts';
import type { ScrollMark } from './scroll-marks.ts';
import type { SessionPane } from './session-pane.ts';

/** The most commands that are listed. */
const listed = 200;
/** Several marks come with one command: the list is read this long after the first, in ms. */
const readMs = 100;

/** A command of the session's shell, or one that a coding agent ran itself, as it reported. */
export interface ListedCommand extends CommandJson {
  /** Absent for one of the shell. */
  readonly byAgent?: AgentCommandJson;
}

/** The commands of a session. */
export interface SessionCommands {
  /** Newest first. */
  readonly all: readonly ListedCommand[];
  /** Why there are none; empty if that is not known. */
  readonly why: string;
  /** The one whose output is at the top of what is in view; null while the view follows the output. */
  readonly inView: CommandJson | null;
}

/** Follows the commands of a session, and marks those of its shell beside the scroll bar. */
export function useCommands(
  app: App,
  pane: SessionPane | null,
  info: SessionInfo,
): SessionCommands {
  const commands = useSignal<readonly CommandJson[]>([]);
  const ofAgents = useSignal<readonly AgentCommandJson[]>([]);
  const why = useSignal('');
  const inView = useSignal<CommandJson | null>(null);
  const marks = pane?.marks.value;
  const { name, id: sessionId, agent } = info;
  // Its commands change with these.
  const kind = agent?.kind;
  const agentText = JSON.stringify([kind, agent?.commands, agent?.state]);
  useEffect(() => {
    if (pane === null) return undefined;
    const load = () =>
      app.link
        .call('ListCommands', { name, sessionId, last: listed })
        .then(({ commands: all = [], agentCommands = [], integrationReason = '' }) => {
          commands.value = all.toReversed();
          ofAgents.value = agentCommands;
          why.value = kind === undefined ? integrationReason : hooksText(kind);
          pane.scrollMarks.set('commands', all.flatMap(markOf));
        })
        .catch((error) => {
          why.value = errorText(error);
        });
    let timer: ReturnType<typeof setTimeout> | undefined;
    const off = app.link.onUp(() => {
      timer = setTimeout(load, readMs);
    });
    return () => {
      clearTimeout(timer);
      off();
    };
  }, [app, pane, name, sessionId, marks, agentText]);
  useEffect(() => {
    if (pane === null) return undefined;
    const { element } = pane.view;
    let isDue = false;
    const scrolled = () => {
      if (isDue) return;
      isDue = true;
      requestAnimationFrame(() => {
        isDue = false;
        const line = pane.view.follows ? null : pane.view.firstInView();
        inView.value = line === null ? null : commandOfLine(commands.value, line);
      });
    };
    element.addEventListener('scroll', scrolled, { passive: true });
    return () => element.removeEventListener('scroll', scrolled);
  }, [pane]);
  const all = inOrder(commands.value, ofAgents.value);
  return { all, why: why.value, inView: inView.value };
}

/** Shows the line or the command of an address as soon as there are lines, and each time that it changes. */
export function useSpot(app: App, info: SessionInfo, pane: SessionPane | null, spot: Spot): void {
  const { line, command } = spot;
  const { name, id: sessionId } = info;
  const hasLines = pane?.hasLines.value ?? false;
  useEffect(() => {
    if (pane === null) return undefined;
    const read = () => (pane.view.follows ? null : pane.view.firstInView());
    lineInView.read = read;
    return () => {
      if (lineInView.read === read) lineInView.read = () => null;
    };
  }, [pane]);
  useEffect(() => {
    if (pane === null || !hasLines) return;
    const show = async () => {
      if (line !== undefined) return pane.view.toLine(line);
      if (command === undefined) return;
      const { commands = [] } = await app.link.call('ListCommands', { name, sessionId });
      const match = commands.find(({ number }) => Number(number) === command);
      const at = match === undefined ? null : lineOf(match);
      if (at === null) say(`Command ${command} is no longer kept`);
      else await pane.view.toLine(at);
    };
    show().catch((error) => say(errorText(error)));
  }, [pane, hasLines, line, command]);
}

const hooksText = (kind: string): string =>
  `vtr agents install ${kind} lets the agent report those that it runs`;

/** Returns all commands, those that began last first. */
export function inOrder(
  shell: readonly CommandJson[],
  agents: readonly AgentCommandJson[],
): readonly ListedCommand[] {
  if (agents.length === 0) return shell;
  const ofAgents = agents.map((byAgent): ListedCommand => {
    const { agent: _, status: _status, ...command } = byAgent;
    return { ...command, byAgent };
  });
  const began = ({ startedAt, endedAt }: ListedCommand) =>
    Date.parse(startedAt ?? endedAt ?? '') || 0;
  return [...shell, ...ofAgents].toSorted((one, other) => began(other) - began(one));
}

function markOf(command: CommandJson): ScrollMark[] {
  const line = lineOf(command);
  if (line === null) return [];
  const title = `${command.line ?? `command ${command.number}`}: ${endText(command)}`;
  return [{ line, kind: statusOf(command), title }];
}

/** An agent shows a command this many lines above its cursor at most, while the command begins. */
const aboveCursor = 8;

/**
 * Returns the line in which a command was typed: the one before its output; of an agent, one above that in which it is
 * shown. Null for one that began on the alternate screen.
 */
export function lineOf({ from, byAgent }: ListedCommand): number | null {
  if (from?.line === undefined) return null;
  return Math.max(0, Number(from.line) - (byAgent === undefined ? 1 : aboveCursor));
}

/**
 * Returns the command whose output a line belongs to; null if it belongs to none, or is the one in which the command was
 * typed.
 *
 * @param commands newest first
 */
export function commandOfLine(commands: readonly CommandJson[], line: number): CommandJson | null {
  const command = commands.find((each) => {
    const typed = lineOf(each);
    return typed !== null && typed < line;
  });
  if (command === undefined) return null;
  const end = command.to?.line === undefined ? Number.POSITIVE_INFINITY : Number(command.to.line);
  // The prompt may be in the line in which the output ends.
  const isLast = line === end && (command.to?.col ?? 0) > 0;
  return line < end || isLast ? command : null;
}

const isRunning = ({ state }: CommandJson): boolean => state === 'COMMAND_STATE_RUNNING';

type Status = 'running' | 'good' | 'bad' | 'unknown';

const agentStatuses: Readonly<Record<string, readonly [status: Status, text: string]>> = {
  AGENT_COMMAND_STATUS_RUNNING: ['running', '…'],
  AGENT_COMMAND_STATUS_ASKS: ['running', 'asks'],
  AGENT_COMMAND_STATUS_SUCCEEDED: ['good', 'ok'],
  AGENT_COMMAND_STATUS_FAILED: ['bad', 'failed'],
};

const agentStatusOf = ({ status }: AgentCommandJson) =>
  agentStatuses[status ?? ''] ?? (['unknown', '?'] as const);

/** Returns how a command has ended; `unknown` if that was not reported. */
export function statusOf(command: ListedCommand): Status {
  if (command.byAgent !== undefined) return agentStatusOf(command.byAgent)[0];
  if (isRunning(command)) return 'running';
  if (command.exitCode === undefined) return 'unknown';
  return command.exitCode === 0 ? 'good' : 'bad';
}

/** Returns the exit status of a command: `0`, `…` while it runs, `?` if it was not reported. */
export function statusText(command: ListedCommand): string {
  if (isRunning(command)) return '…';
  if (command.exitCode !== undefined) return String(command.exitCode);
  return command.byAgent === undefined ? '?' : agentStatusOf(command.byAgent)[1];
}

export const commandMs = ({ duration }: CommandJson): number => Math.round(durationMs(duration));

const endText = (command: CommandJson): string =>
  isRunning(command)
    ? `runs for ${durationText(commandMs(command))}`
    : `exit status ${statusText(command)} after ${durationText(commandMs(command))}`;
