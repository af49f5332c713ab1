import type { RecordedEvent, Recording } from '#recording';
import { payload } from './index.ts';
import type { Screen } from './screen.ts';

/** Keys at 20 a second, and every two seconds a command with five lines of output. */
function shell(screen: Screen, seconds: number): RecordedEvent[] {
  const lines = linesOf(screen, 25);
  return Array.from({ length: Math.ceil(20 * seconds) }, (_, at) => {
    const isEnter = at % 40 === 39;
    const from = 5 * Math.floor(at / 40);
    const text = isEnter ? `\r\n${lines.slice(from, from + 5).join('')}$ ` : 'x';
    return { type: 'output', text, atMs: at * 50 };
  });
}

/** All rows change, 30 times a second. */
function scrolling(screen: Screen, seconds: number): RecordedEvent[] {
  const frames = Math.ceil(30 * seconds);
  const lines = linesOf(screen, frames * screen.rows);
  return Array.from({ length: frames }, (_, at) => ({
    type: 'output',
    text: lines.slice(at * screen.rows, (at + 1) * screen.rows).join(''),
    atMs: (at * 1000) / 30,
  }));
}

function linesOf(screen: Screen, count: number): string[] {
  const lines = payload('truecolor log', screen, count * 200)
    .toString()
    .split(/(?<=\n)/);
  return Array.from({ length: count }, (_, at) => lines[at % lines.length] ?? '');
}

const makers = { shell, scrolling } as const;

export type RecordedName = keyof typeof makers;

/** Returns a recording, the same at every call. */
export const recorded = (name: RecordedName, size: Screen, seconds: number): Recording => ({
  version: 3,
  header: { size },
  events: makers[name](size, seconds),
});
