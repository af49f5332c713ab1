/** A step of the set-up failed, and the user can fix it. */
export class StepFailed extends Error {
  /**
   * @param {string} message what failed, and a remedy
   * @param {string} [output] the output of the tool that failed
   */
  constructor(message, output = '') {
    super(message);
    this.output = output;
  }
}

/**
 * Runs the body of a script. A failed step becomes a message on stderr and exit status 1, without a
 * stack trace.
 *
 * @param {string} name of the script, which precedes the message
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
