import { sanitize } from '#base';
import type { Context } from '../context.ts';

/** Prints what people and models read, without what they would not see. */
export function printPlain(context: Context, text: string): void {
  const { text: plain, removed } = sanitize(text);
  context.out(plain);
  tellRemoved(context, removed);
}

/** What is left out is said, so that nobody takes the rest for all. */
export function tellRemoved(context: Context, removed: number): void {
  if (removed === 0) return;
  const what = removed === 1 ? '1 invisible character is' : `${removed} invisible characters are`;
  context.say(`${what} left out; --json has all`);
}
