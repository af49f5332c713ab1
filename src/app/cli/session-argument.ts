import type { Argument } from './verb.ts';

export const sessionArgument = {
  about: 'its name, or coordinator:name',
  completes: 'session',
} as const satisfies Argument;
