/**
 * A reporter for knip that prints the number of files it read, so that a run without files is not
 * reported as clean.
 *
 * @param {{ counters: { processed: number } }} report
 */
export default function printCounts({ counters }) {
  process.stdout.write(`knip saw ${counters.processed} files\n`);
}
