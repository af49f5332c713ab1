import * as z from 'zod/v4';
import { defineTool, looks } from '../tool.ts';
import { sessionFields } from './fields.ts';
import { sessionAnswer } from './session-answer.ts';

export const listSessions = defineTool({
  name: 'terminal__list_sessions',
  title: 'List terminal sessions',
  description: 'All sessions, also those that a person or another agent made.',
  annotations: looks,
  isCore: false,
  input: z.strictObject({}),
  output: z.object({ sessions: z.array(z.object(sessionFields)), count: z.int() }),
  async run(_args, { host }) {
    const sessions = (await (await host.reach())?.list()) ?? [];
    return { sessions: sessions.map(sessionAnswer), count: sessions.length };
  },
});
