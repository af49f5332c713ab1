import type { Condition } from './wait.ts';

/** Met when the shell has marked a prompt. */
export const promptMarked: Condition = {
  start(watched, _clock, onMet, since) {
    const offset = since?.offset ?? watched.lastInputAt;
    const check = () => {
      const { prompt } = watched.commands;
      if (prompt !== null && prompt.offset >= offset) onMet({ outcome: 'prompt' });
    };
    check();
    return { onEvent: check, dispose() {} };
  },
};

/** Met when a command of the shell has begun, also if it has ended. */
export const commandBegun: Condition = {
  start(watched, _clock, onMet, since) {
    const offset = since?.offset ?? watched.outputEnd;
    const check = () => {
      const { commands } = watched;
      const hasBegun = commands.running !== null || commands.endedAfter(offset) !== null;
      if (hasBegun) onMet({ outcome: 'finished' });
    };
    check();
    return { onEvent: check, dispose() {} };
  },
};

/** Met when a command of the shell has ended. */
export const commandFinished: Condition = {
  start(watched, _clock, onMet, since) {
    const offset = since?.offset ?? watched.outputEnd;
    const check = () => {
      const command = watched.commands.endedAfter(offset);
      if (command !== null) onMet({ outcome: 'finished', command });
    };
    check();
    // The ledger is updated before events are delivered. The exit of the program has its own outcome.
    return { onEvent: ({ type }) => type !== 'exit' && check(), dispose() {} };
  },
};
