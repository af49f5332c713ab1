import { basename } from 'node:path';
import { VtrError } from '#model';
import { type Flag, text, toggle } from '../arguments/flags.ts';
import { idle } from '../recordings/picture-flags.ts';
import {
  loadRecordings,
  recordingArgument,
  recordingDetail,
  recordingFlags,
  recordingOf,
} from '../recordings/recording-source.ts';
import { defineVerb } from '../verb.ts';
import { playKeys } from './key-help.gen.ts';

const speed: Flag<number> = {
  about: 'play N times as fast (default: 1)',
  value: 'N',
  read: (given) => {
    const number = /^\d+(\.\d+)?$/.test(given) ? Number(given) : Number.NaN;
    if (number >= 0.01 && number <= 1000) return number;
    throw new VtrError('INVALID_ARGUMENT', 'use a number from 0.01 to 1000, such as 2 or 0.5');
  },
};

export const play = defineVerb({
  name: 'play',
  summary: 'play a recording, or what happened in a session, in this terminal',
  args: { source: recordingArgument },
  flags: {
    ...recordingFlags,
    speed,
    idle,
    from: text('TIME', 'begin at SECONDS, a duration such as 1m30s, or marker:NAME'),
    hold: toggle('stay at the end'),
  },
  details: [
    recordingDetail,
    'Keys:',
    playKeys,
    'The keys are configured by [keys.play] in config.toml.',
    'vtr draws the screen of the recording; its escape sequences never reach your terminal. A recording cannot change the title, the clipboard or the modes, and its queries get no answer.',
    'If stdout is not a terminal, prints the screens without waiting. It prints each screen that does not change for 100 ms, below a line with its time and the markers before it.',
  ],
  examples: [
    { line: 'vtr play build.cast', about: 'play a recording' },
    { line: 'vtr play build.cast --from marker:test --speed 2', about: 'begin at a marker' },
    { line: 'vtr play codex', about: 'play what happened in a session' },
    { line: 'vtr play build.cast | grep -n error', about: 'print the screens' },
  ],
  async run(context, { args, flags }) {
    if (context.isTerminal && !process.stdin.isTTY) {
      const message = 'vtr play needs a terminal at stdin, too; with | cat it prints the screens';
      throw new VtrError('INVALID_ARGUMENT', message);
    }
    const [recording, { PlayingTime, Replay, recordedTime }, tui] = await Promise.all([
      recordingOf(context, args.source, flags),
      loadRecordings(),
      import('#app/tui'),
    ]);
    const replay = new Replay(recording);
    const fromMs = flags.from === undefined ? 0 : recordedTime(replay, flags.from);
    const { playRecording, plainFrames } = await tui.loadPlayer();
    if (!context.isTerminal) {
      for (const frame of plainFrames(replay, fromMs)) context.out(frame);
      return undefined;
    }
    const idleLimitMs = flags.idle ?? recording.header.idleLimitMs ?? null;
    const time = new PlayingTime(recording.events, idleLimitMs);
    const { speed = 1, hold } = flags;
    const name = basename(args.source);
    const { keys } = await context.config();
    await playRecording({ env: context.env, keys, replay, time, name, fromMs, speed, hold });
    return undefined;
  },
});
