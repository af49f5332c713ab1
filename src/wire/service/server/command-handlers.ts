import type { Coordinator } from '#model';
import { fromCommandOutputRequest, toCommandList, toCommandOutput } from '../convert/command.ts';
import { field } from '../convert/field.ts';
import { fromRunRequest, toRunResult } from '../convert/run.ts';
import { toRef } from '../convert/session.ts';
import { accepted, type Handlers } from './accepted.ts';

/** The ledger of commands, and what adds to it. */
export function commandHandlers(
  coordinator: Coordinator,
): Handlers<'listCommands' | 'getCommandOutput' | 'runCommand'> {
  return {
    async listCommands(request, context) {
      const list = () => coordinator.commands(toRef(request), field('last', request.last));
      return toCommandList(await accepted(context, list));
    },
    async getCommandOutput(request, context) {
      const asked = fromCommandOutputRequest(request);
      const read = () => coordinator.commandOutput(toRef(request), asked);
      return toCommandOutput(await accepted(context, read));
    },
    async runCommand(request, context) {
      const asked = { ...fromRunRequest(request), signal: context.signal };
      return toRunResult(await accepted(context, () => coordinator.run(toRef(request), asked)));
    },
  };
}
