import * as z from 'zod/v4';
import { changes, defineTool } from '../tool.ts';
import { dimensions, sessionId } from './fields.ts';

export const resize = defineTool({
  name: 'terminal__resize',
  title: 'Resize terminal',
  description: 'Give a session another size, 1 to 1000 each way.',
  annotations: changes,
  isCore: false,
  input: z.strictObject({ session_id: sessionId, rows: z.int(), cols: z.int() }),
  output: z.object({ dimensions }),
  async run({ session_id, rows, cols }, caller) {
    const coordinator = await caller.coordinatorOf(session_id);
    await coordinator.resize(session_id, { rows, cols });
    return { dimensions: { rows, cols } };
  },
});
