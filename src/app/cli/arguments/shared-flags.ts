import { text, toggle } from './flags.ts';

/** What every verb takes that reaches coordinators. */
export const reach = {
  coordinator: text('SOCKET', 'the coordinator, by its socket or its name', { completes: 'file' }),
};

/** What every verb takes that answers with more than a line. */
export const output = {
  json: toggle('print JSON'),
};
