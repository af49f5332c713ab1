// The VT engine on stdin and stdout, for conformance suites: JSON lines, a new terminal per request.
//
//   request  {"id", "cols", "rows", "scrollback", "ops": [["w", base64] | ["r", cols, rows] | ["s"]], "cells"}
//   reply    {"id", "snaps": [state, ...], "state"}  or  {"id", "error"}
//
// Needs `npm run build`.
import { createInterface } from 'node:readline';
import { Terminal } from '#vt';

/** Enough for any recording; the requests limit lines only. */
const maxBytes = 64 * 1024 * 1024;
/** @param {import('#model').Style} style */
function flagsOf(style) {
  const flags = [
    style.bold && 'b',
    style.dim && 'd',
    style.italic && 'i',
    style.underline !== 'none' && 'u',
    style.inverse && 'r',
    style.hidden && 'h',
    style.strikethrough && 's',
  ];
  return flags.filter(Boolean).join('');
}

/** @param {Terminal} terminal @param {number} row */
function cellsOf(terminal, row) {
  return terminal
    .readRow(row)
    .cells()
    .filter((cell) => cell.width > 0)
    .map(({ text, width, style }) => [text, width, style.fg, style.bg, flagsOf(style)]);
}

/** @param {Terminal} terminal @param {any} request @param {Buffer[]} replies */
function stateOf(terminal, request, replies) {
  const { cursor } = terminal;
  const state = {
    screen: terminal.screenText(),
    cursor: [cursor.wrapPending ? request.cols : cursor.col, cursor.row],
    history: terminal.scrollbackRows().slice(-request.scrollback),
    alt: terminal.alternate,
    title: terminal.title === '' ? null : terminal.title,
    replies: Buffer.concat(replies).toString('base64'),
  };
  if (!request.cells) return state;
  const rows = Array.from({ length: terminal.size.rows }, (_, row) => cellsOf(terminal, row));
  return { ...state, cells: rows };
}

/** @param {any} request */
function run(request) {
  const { id, cols, rows, scrollback, ops } = request;
  const terminal = new Terminal({
    size: { cols, rows },
    scrollback: { maxLines: scrollback, maxBytes },
  });
  const replies = /** @type {Buffer[]} */ ([]);
  const snaps = [];
  for (const [kind, ...args] of ops) {
    if (kind === 'w') terminal.feed(Buffer.from(args[0], 'base64'));
    else if (kind === 'r') terminal.resize({ cols: args[0], rows: args[1] });
    else if (kind === 's')
      snaps.push(stateOf(terminal, { ...request, cols: terminal.size.cols }, replies));
    else throw new Error(`unknown operation ${JSON.stringify(kind)}`);
    const reply = terminal.takeReplies();
    if (reply !== null) replies.push(Buffer.from(reply));
  }
  return { id, snaps, state: stateOf(terminal, { ...request, cols: terminal.size.cols }, replies) };
}

for await (const line of createInterface({ input: process.stdin })) {
  if (line.trim() === '') continue;
  let id = null;
  try {
    const request = JSON.parse(line);
    id = request.id ?? null;
    process.stdout.write(`${JSON.stringify(run(request))}\n`);
  } catch (error) {
    process.stdout.write(`${JSON.stringify({ id, error: String(error) })}\n`);
  }
}
