import { TmuxWindow } from '../measuring/tmux-window.ts';
import { type Asker, answering, answerTo, size } from './asker.ts';

/**
 * The program in the window says when it has answered, by `tmux wait-for -S`; one client sends, waits
 * and reads.
 */
export const signalledAsker = (): Promise<Asker> =>
  asker('tmux wait-for -S answered', ['wait-for', 'answered', ';']);

/** Looks at the screen again and again, as fast as it can. */
export const capturingAsker = (): Promise<Asker> => asker(null, []);

/**
 * @param signal what the program starts when it has answered, if anything
 * @param await what the client does before it reads
 */
async function asker(signal: string | null, wait: readonly string[]): Promise<Asker> {
  const program = answering(signal ?? undefined);
  const window = await TmuxWindow.start(size, ['sh', '-c', program]);
  const untilShown = async (screen: string, text: string) => {
    for (let shown = screen; !shown.includes(text); ) {
      shown = await window.tmux('capture-pane', '-p');
    }
  };
  await untilShown('', 'ready');
  window.programs.takeSpent();
  return {
    async ask(word) {
      const sent = ['send-keys', word, 'Enter', ';', ...wait];
      // The signal may be quicker than the output.
      await untilShown(await window.tmux(...sent, 'capture-pane', '-p'), answerTo(word));
      const { programs, bytes } = window.programs.takeSpent();
      return { programs: signal === null ? programs : programs + 1, bytes };
    },
    close: () => window.stop(),
  };
}
