/** A step of the set-up went wrong in a way that the person at the keyboard can mend. */
export class StepFailed extends Error {
  /**
   * @param {string} message what failed and what to try
   * @param {string} [output] what the tool that failed had printed
   */
  constructor(message, output = '') {
    super(message);
    this.output = output;
  }
}

/**
 * Runs a script's body; a failed step becomes a message on stderr and exit status 1, without a
 * stack that would only show our own scripts.
 *
 * @param {string} name of the script, in front of the message
 * @param {() => Promise<void>} body
 */
export async function runScript(name, body) {
  try {
    await body();
  } catch (error) {
    if (!(error instanceof StepFailed)) throw error;
    if (error.output.trim() !== '') process.stderr.write(`${error.output.trimEnd()}\n`);
    process.stderr.write(`${name}: ${error.message}\n`);
    process.exitCode = 1;
  }
}
