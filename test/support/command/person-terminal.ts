import { onTestFinished } from 'vitest';
import { LocalCoordinator } from '#coordinator';
import type { Size } from '#model';
import { conditionMs } from '../run/condition-ms.ts';
import { type Place, vtrFile } from './vtr-command.ts';

/** A person's terminal in which the command runs, shown by our own engine. */
export class PersonTerminal {
  readonly #coordinator: LocalCoordinator;
  readonly #name = 'person';

  private constructor(coordinator: LocalCoordinator) {
    this.#coordinator = coordinator;
  }

  static async run(
    place: Pick<Place, 'directory' | 'env'>,
    words: readonly string[],
    size: Size,
  ): Promise<PersonTerminal> {
    const coordinator = new LocalCoordinator();
    onTestFinished(() => coordinator.close());
    const terminal = new PersonTerminal(coordinator);
    await coordinator.spawn({
      name: terminal.#name,
      program: process.execPath,
      args: [vtrFile, ...words],
      size,
      cwd: place.directory,
      env: { ...place.env, TERM: 'xterm-256color', COLORTERM: 'truecolor' },
    });
    return terminal;
  }

  /** The screen once each pattern matches one of its rows. */
  async shows(...patterns: readonly string[]): Promise<readonly string[]> {
    for (const pattern of patterns) {
      const { outcome } = await this.#coordinator.wait(this.#name, {
        screen: [pattern],
        timeoutMs: conditionMs,
      });
      if (outcome === 'matched') continue;
      const { text } = await this.#coordinator.screen(this.#name);
      throw new Error(`${pattern} was not shown: ${outcome}\n${text.join('\n')}`);
    }
    return (await this.#coordinator.screen(this.#name)).text;
  }

  async keys(...keys: readonly string[]): Promise<void> {
    await this.#coordinator.sendKeys(this.#name, keys);
  }

  async types(text: string): Promise<void> {
    await this.#coordinator.sendText(this.#name, text);
  }

  resize(size: Size): Promise<void> {
    return this.#coordinator.resize(this.#name, size);
  }

  /** The exit code of the command, and whether the terminal shows its primary screen again. */
  async ended(): Promise<{ readonly code: number | null; readonly alternate: boolean }> {
    const { exitStatus } = await this.#coordinator.wait(this.#name);
    const { alternate } = await this.#coordinator.screen(this.#name);
    return { code: exitStatus?.code ?? null, alternate };
  }
}
