import { cleanLine, decodeUtf8 } from '#base';
import type { NotificationCode } from '#model';
import { positionAt } from '../reading/output-position.ts';
import { decodeBase64 } from '../state/base64.ts';
import { progressStates } from '../state/program-reports.ts';
import { publish, type TerminalState } from '../state/terminal-state.ts';
import { type Choice, type Operation, when } from './control-function.ts';
import { type OscContext, type OscRun, osc } from './osc-function.ts';
import { reportCwd } from './working-directory.ts';

/** In UTF-16 code units. */
const maxTitleLength = 256;
const maxBodyLength = 4096;
const maxIdLength = 64;

function notify(
  t: TerminalState,
  offset: number,
  code: NotificationCode,
  [title, body]: readonly [title: string, body: string],
): void {
  const position = positionAt(t, offset);
  publish(t, {
    type: 'notification',
    title: cleanLine(title, maxTitleLength),
    body: cleanLine(body, maxBodyLength),
    code,
    position,
  });
}

/** ConEmu's commands are numbered; iTerm2's notification is any other text. */
// biome-ignore format: one line per operation
const conEmu: readonly Operation<OscRun>[] = [
  when('4', 'Report progress: state, percent', (t, text, { offset }) => setProgress(t, text, offset)),
  when('9', 'Report the working directory', (t, text, { offset }) => reportCwd(t, text.replace(/^"(.*)"$/s, '$1'), '', offset)),
];

const conEmuOrNotification: Choice<OscRun> = {
  operations: conEmu,
  run(t, text, context) {
    const [, number, rest = ''] = /^(\d{1,2})(?:;(.*))?$/s.exec(text) ?? [];
    if (number === undefined) notify(t, context.offset, 9, ['', text]);
    else conEmu.find(({ value }) => value === number)?.effect?.(t, rest, context);
  },
};

function setProgress(t: TerminalState, text: string, offset: number): void {
  const [, number, value] = /^([0-4])(?:;(\d{0,3}))?$/.exec(text) ?? [];
  if (number === undefined) return;
  const state = progressStates[Number(number)];
  const percent = value === undefined || value === '' ? null : Math.min(100, Number(value));
  t.reports.progress = { state, percent };
  publish(t, { type: 'progress', state, percent, position: positionAt(t, offset) });
}

const urxvt: OscRun = (t, text, { offset }) => {
  const [, title, body] = /^notify;([^;]*)(?:;(.*))?$/s.exec(text) ?? [];
  if (title !== undefined) notify(t, offset, 777, [title, body ?? '']);
};

/** kitty's desktop notifications: `metadata ; payload`, in parts that are joined by their id. */
const kitty: OscRun = (t, text, context) => {
  const [, metadata, payload] = /^([^;]*);(.*)$/s.exec(text) ?? [];
  if (metadata === undefined) return;
  const fields = new Map(metadata.split(':', 32).map((field) => [field[0], field.slice(2)]));
  const part = fields.get('p') ?? 'title';
  if (part !== 'title' && part !== 'body') return;
  const id = (fields.get('i') ?? '').replace(/[^A-Za-z0-9_+.-]/g, '').slice(0, maxIdLength);
  const said = fields.get('e') === '1' ? fromBase64(payload) : payload;
  addToDraft(t, id, { [part]: said });
  if (fields.get('d') !== '0') finishDraft(t, context);
};

function fromBase64(text: string): string {
  return decodeUtf8(decodeBase64(text) ?? new Uint8Array(0));
}

function addToDraft(t: TerminalState, id: string, said: { title?: string; body?: string }): void {
  const { draft } = t.reports;
  const before = draft !== null && draft.id === id ? draft : { title: '', body: '' };
  t.reports.draft = {
    id,
    title: cleanLine(before.title + (said.title ?? ''), maxTitleLength),
    body: cleanLine(before.body + (said.body ?? ''), maxBodyLength),
  };
}

function finishDraft(t: TerminalState, { offset }: OscContext): void {
  const { draft } = t.reports;
  t.reports.draft = null;
  if (draft !== null && draft.title + draft.body !== '') {
    notify(t, offset, 99, [draft.title, draft.body]);
  }
}

/** `selections ; base64`. A query has no reply: the clipboard may contain a password. */
const setClipboard: OscRun = (t, text, { offset }) => {
  const [, selection, data] = /^([cpqs0-7]{0,16});([^;]*)$/.exec(text) ?? [];
  if (!t.allowClipboard || data === undefined) return;
  const bytes = decodeBase64(data);
  if (bytes === null) return;
  publish(t, {
    type: 'clipboard',
    selection: selection === '' ? 'c' : selection,
    text: decodeUtf8(bytes),
    position: positionAt(t, offset),
  });
};

/** A query is answered with the same bytes: a program that gets no answer says nothing. */
const programStatus: OscRun = (t, text, { offset, bel }) => {
  if (text === '?') t.replies.push(`\x1b]7501;?${bel ? '\x07' : '\x1b\\'}`);
  else t.reports.statuses.report(text, offset);
};

// biome-ignore format: one line per function
export const desktopFunctions = [
  osc(9, 'Notify (iTerm2), or do what a number selects (ConEmu)', conEmuOrNotification),
  osc(99, 'Notify (kitty): title and body', kitty),
  osc(777, 'Notify (urxvt)', urxvt),
  osc(7501, 'Report what the program does, or whether such reports are read (Program Status Protocol)', programStatus),
  osc(52, 'Set the clipboard if allowed; queries have no reply', setClipboard),
];
