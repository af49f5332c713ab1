import { expect } from 'vitest';
import type { Place } from '../command/vtr-command.ts';
import type { WebPage } from './browser.ts';

/** The screen as the command shows it, without blanks at the ends of rows. */
export async function screenOf(place: Place, name: string): Promise<string[]> {
  const text = await place.ok('screen', name);
  return text.split('\n').map((row) => row.trimEnd());
}

/** Waits until the page shows what the session shows. */
export async function agrees(place: Place, shown: WebPage, name: string): Promise<void> {
  const rowsOf = (rows: readonly string[]) => rows.join('\n').trimEnd();
  const both = async () => [rowsOf(await shown.rows()), rowsOf(await screenOf(place, name))];
  let last: readonly string[] = [];
  await expect
    .poll(async () => {
      last = await both();
      return last[0] === last[1];
    })
    .toBe(true)
    .catch(() => expect(last[0]).toBe(last[1]));
}

/** Types into the terminal in view, as its driver. */
export async function type(shown: WebPage, text: string): Promise<void> {
  await shown.page.locator('.keys').focus();
  await shown.page.keyboard.type(text);
}

/** What the page says about who drives the session in view. */
export const status = '.driver [role=status]';
