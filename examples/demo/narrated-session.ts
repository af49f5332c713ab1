import type { ExitStatus, ScreenSnapshot, SessionInfo, SignalName, Size, WaitResult } from 'vtr';
import type { Stage } from './stage.ts';
import { Surprise } from './surprise.ts';
import { resultText, statusText } from './wording.ts';

/** How long a program may take to do what is expected of it. Only a failure waits that long. */
const timeoutMs = 10_000;

/** Silence after which a program is taken to have drawn all that it wanted to. */
const quietMs = 100;

/** A session of which everything is told that is done to it, with what came of it. */
export class NarratedSession {
  readonly info: SessionInfo;
  readonly #stage: Stage;

  constructor(info: SessionInfo, stage: Stage) {
    this.info = info;
    this.#stage = stage;
  }

  async type(text: string): Promise<void> {
    const hasEnter = text.endsWith('\r');
    const typed = hasEnter ? text.slice(0, -1) : text;
    await this.#vtr('send', this.info.name, typed, ...(hasEnter ? ['--enter'] : []));
  }

  async press(key: string): Promise<void> {
    await this.#vtr('key', this.info.name, key);
  }

  /** Types, and waits for what that brings about. Returns the text that matched. */
  typeFor(pattern: string, text: string): Promise<string> {
    return this.#bringsAbout(pattern, () => this.type(text));
  }

  pressFor(pattern: string, key: string): Promise<string> {
    return this.#bringsAbout(pattern, () => this.press(key));
  }

  /** The same without a word, for what is done many times. */
  async ask(text: string, pattern: string): Promise<WaitResult> {
    const { coordinator } = this.#stage;
    // Calls of one client are accepted in their order, so the wait is on before the text is sent.
    const answer = this.#waitForText(pattern);
    const [result] = await Promise.all([answer, coordinator.sendText(this.info, text)]);
    return result.outcome === 'matched' ? result : this.#fail(`/${pattern}/ to appear`, result);
  }

  /** Waits for text that may be there already: the program did not wait for us to look. */
  async sees(pattern: string): Promise<void> {
    const looking = new AbortController();
    const coming = this.#waitForText(pattern, looking.signal);
    // Where it is there already, nobody asks how this one ended.
    coming.catch(() => {});
    const { text } = await this.#stage.coordinator.screen(this.info);
    if (!text.some((row) => new RegExp(pattern).test(row))) {
      await this.#expectMatch(pattern, await coming);
      return;
    }
    looking.abort();
    this.#tell('screen', `/${pattern}/`, 'is there');
  }

  /** Waits for the program to be quiet, and shows its screen, which has to be as expected. */
  async shows(what: string, isExpected: (screen: ScreenSnapshot) => boolean): Promise<void> {
    const { coordinator, signal } = this.#stage;
    const deadline = performance.now() + timeoutMs;
    for (;;) {
      const result = await coordinator.wait(this.info, { quietMs, timeoutMs, signal });
      const screen = await coordinator.screen(this.info);
      const isSeen = isExpected(screen);
      // On a busy machine a program may be quiet because it has not begun.
      if (!isSeen && result.outcome === 'idle' && performance.now() < deadline) continue;
      this.#tell('wait', `quiet for ${quietMs} ms`, resultText(result));
      this.#showBox(screen);
      if (isSeen) return;
      throw new Surprise(what, `what the box shows; the wait says: ${resultText(result)}`);
    }
  }

  async resizeFor(pattern: string, size: Size): Promise<string> {
    const sides = [String(size.cols), String(size.rows)];
    return this.#bringsAbout(pattern, () => this.#vtr('resize', this.info.name, ...sides));
  }

  async kill(signal: SignalName): Promise<void> {
    await this.#vtr('kill', this.info.name, '--signal', signal);
  }

  /** Ends the program with all that it started, without a grace, and forgets the session. */
  async remove(): Promise<void> {
    await this.#vtr('rm', this.info.name, '--force');
  }

  /** Waits for the program's end, which has to be this one. */
  async ends(expected: ExitStatus): Promise<void> {
    const { coordinator, signal } = this.#stage;
    const result = await coordinator.wait(this.info, { timeoutMs, signal });
    this.#tell('wait', `end of ${this.info.name}`, resultText(result));
    const { exitStatus } = result;
    if (exitStatus !== null && statusText(exitStatus) === statusText(expected)) return;
    await this.#fail(`the program to end with ${statusText(expected)}`, result);
  }

  async #bringsAbout(pattern: string, act: () => Promise<void>): Promise<string> {
    // A wait looks at output that comes after it, so it is asked for before the input is sent: it is
    // on when a later call of the same client has been answered.
    const waiting = this.#waitForText(pattern);
    const isOn = this.#stage.coordinator.info(this.info);
    const [result] = await Promise.all([waiting, isOn.then(act)]);
    return this.#expectMatch(pattern, result);
  }

  async #expectMatch(pattern: string, result: WaitResult): Promise<string> {
    this.#tell('wait', `/${pattern}/`, resultText(result));
    return result.match?.matched ?? this.#fail(`/${pattern}/ to appear`, result);
  }

  #waitForText(pattern: string, enough?: AbortSignal): Promise<WaitResult> {
    const { coordinator, signal: end } = this.#stage;
    const signal = enough === undefined ? end : AbortSignal.any([end, enough]);
    return coordinator.wait(this.info, { match: [pattern], timeoutMs, signal });
  }

  /** Shows what is on the screen instead. */
  async #fail(expected: string, result: WaitResult): Promise<never> {
    this.#showBox(await this.#stage.coordinator.screen(this.info));
    throw new Surprise(expected, `what the box shows; the wait says: ${resultText(result)}`);
  }

  #showBox(screen: ScreenSnapshot): void {
    this.#tell('screen', this.info.name);
    this.#stage.story.screen(this.info.name, screen);
  }

  async #vtr(...words: readonly string[]): Promise<void> {
    await this.#stage.command.vtr(...words);
  }

  #tell(call: string, what: string, result?: string): void {
    this.#stage.story.call(call, what, result);
  }
}
