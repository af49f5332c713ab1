import { type MetricFamily, mergedFamilies } from '#metrics';
import { asVtrError, type VtrError } from '#model';
import type { Context } from '../context.ts';
import { inTime } from '../coordinators/addressing.ts';
import {
  chosenCoordinators,
  daemonClient,
  type KnownCoordinator,
} from '../coordinators/known-coordinators.ts';

/** What coordinators tell Prometheus about themselves. */
export interface CollectedMetrics {
  readonly families: readonly MetricFamily[];
  /** Why coordinators did not answer, in their order: the user's own first. */
  readonly failures: readonly VtrError[];
  /** Whether any of them answered. */
  readonly hasAnswers: boolean;
}

/**
 * Returns the metrics of the named coordinator, unchanged; or those of all that a selector names, or of all known
 * ones, with a label for the coordinator and whether it answered. Starts no coordinator.
 *
 * @throws VtrError UNAVAILABLE if the named one does not answer; INVALID_ARGUMENT
 */
export async function collectMetrics(
  context: Context,
  named: string | undefined,
): Promise<CollectedMetrics> {
  const chosen = await chosenCoordinators(context, named);
  const read = async ({ socket, failure }: KnownCoordinator) => {
    if (failure !== undefined) throw failure;
    return daemonClient(socket, context).metrics();
  };
  const [only, ...more] = chosen;
  if (named !== undefined && only !== undefined && more.length === 0) {
    return { families: await read(only), failures: [], hasAnswers: true };
  }
  const answers = await Promise.all(
    chosen.map(async (coordinator) => {
      const value = labelOf(coordinator, chosen);
      try {
        return { value, families: await inTime(coordinator, read(coordinator)) };
      } catch (error) {
        return { value, families: null, error: asVtrError(error) };
      }
    }),
  );
  const up = answers.map(({ value, families }) => ({
    labels: { coordinator: value },
    value: families === null ? 0 : 1,
  }));
  const answered = answers.filter((each) => each.families !== null);
  return {
    families: [upFamily(up), ...mergedFamilies('coordinator', answered)],
    failures: answers.flatMap((each) => ('error' in each ? [each.error] : [])),
    hasAnswers: answered.length > 0,
  };
}

const upFamily = (points: readonly { labels: { coordinator: string }; value: number }[]) =>
  ({
    name: 'vtr_up',
    help: 'Whether the coordinator answered.',
    type: 'gauge',
    points,
  }) satisfies MetricFamily;

/** Its name; or its socket, if several have that name. */
const labelOf = ({ name, socket }: KnownCoordinator, all: readonly KnownCoordinator[]): string =>
  all.filter((each) => each.name === name).length === 1 ? name : socket;
