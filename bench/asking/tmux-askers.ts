import { TmuxWindow } from '../measuring/tmux-window.ts';
import { type Asker, answering, answerTo, size } from './asker.ts';

/**
 * The program in the window signals its answer with `tmux wait-for -S`; one client sends, waits and
 * reads.
 */
export const signalledAsker = (): Promise<Asker> =>
  asker('tmux wait-for -S answered', ['wait-for', 'answered', ';']);

/** Polls the screen without pauses. */
export const capturingAsker = (): Promise<Asker> => asker(null, []);

/**
 * @param signal a command that the program runs after its answer
 * @param await the wait of the client before it reads
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
      const command = ['send-keys', word, 'Enter', ';', ...wait];
      // The signal may arrive before the output.
      await untilShown(await window.tmux(...command, 'capture-pane', '-p'), answerTo(word));
      const { programs, bytes } = window.programs.takeSpent();
      return { programs: signal === null ? programs : programs + 1, bytes };
    },
    close: () => window.stop(),
  };
}
