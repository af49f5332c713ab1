import { type MetricFamily, openMetrics, prometheusText } from '#metrics';
import { VtrError } from '#model';
import { type Flag, toggle } from '../arguments/flags.ts';
import { output, reach } from '../arguments/shared-flags.ts';
import { collectMetrics } from '../metrics/collect-metrics.ts';
import type { ListenAddress } from '../metrics/serve-metrics.ts';
import { isoTime, printJson, wantsJson } from '../output/printing.ts';
import { defineVerb } from '../verb.ts';

const maxPort = 65_535;

/** Parses `PORT`, `HOST:PORT` and `[IPv6]:PORT`. */
const listen: Flag<ListenAddress> = {
  about: 'serve the metrics by HTTP at /metrics until a signal ends it (HOST: 127.0.0.1)',
  value: '[HOST:]PORT',
  read: (text) => {
    const [, v6, name, digits = ''] = /^(?:(?:\[([^\]]+)\]|([^:]+)):)?(\d+)$/.exec(text) ?? [];
    const port = digits === '' ? Number.NaN : Number(digits);
    if (port <= maxPort) return { host: v6 ?? name ?? '127.0.0.1', port };
    throw new VtrError('INVALID_ARGUMENT', 'use a port such as 9464, or 127.0.0.1:9464');
  },
};

export const metrics = defineVerb({
  name: 'metrics',
  summary: 'print metrics for Prometheus: sessions, bytes, waits, calls, memory',
  args: {},
  flags: {
    ...reach,
    ...output,
    prometheus: toggle(
      `print Prometheus's text format, as node_exporter's textfile collector reads`,
    ),
    listen,
  },
  details: [
    'Prints OpenMetrics 1.0. docs/metrics.md lists the metrics. No label is the name of a session, a program or a user.',
    'Prints the metrics of all known coordinators, with a label coordinator. vtr_up is 0 for coordinators that do not answer, which stderr names. With --coordinator, prints the metrics of that coordinator without the label; if it selects several containers, prints theirs with the label. No coordinator is started.',
    'The same metrics of one coordinator are at GET /metrics on its socket. Prometheus cannot connect to a Unix socket: --listen serves the metrics by TCP, and nothing else. A proxy of the whole socket would let others act as you.',
    'Exit status: 3 if no coordinator answers.',
  ],
  examples: [
    { line: 'vtr metrics', about: 'print the metrics of all known coordinators' },
    { line: 'vtr metrics --coordinator ssh://gpu1', about: 'print those of another machine' },
    { line: 'vtr metrics --listen 9464', about: 'serve them at http://127.0.0.1:9464/metrics' },
    { line: 'vtr metrics --prometheus > vtr.prom', about: 'write a file for node_exporter' },
  ],
  async run(context, { flags }) {
    const modes = (['json', 'prometheus'] as const).filter((name) => flags[name]);
    const [one, other] = flags.listen === undefined ? modes : [...modes, 'listen'];
    if (other !== undefined) {
      throw new VtrError('INVALID_ARGUMENT', `--${one} and --${other} cannot be used together`);
    }
    if (flags.listen !== undefined) {
      const { serveMetrics } = await import('../metrics/serve-metrics.ts');
      return serveMetrics(context, flags.listen, flags.coordinator);
    }
    const { families, failures, hasAnswers } = await collectMetrics(context, flags.coordinator);
    const [first] = failures;
    if (!hasAnswers && first !== undefined) throw first;
    for (const { message } of failures) context.say(`skipped: ${message}`);
    if (flags.prometheus) context.out(prometheusText.write(families));
    else if (await wantsJson(context, flags)) printJson(context, { metrics: families.map(toJson) });
    else context.out(openMetrics.write(families));
    return undefined;
  },
});

function toJson(family: MetricFamily) {
  const { name, type, unit = null, help } = family;
  const createdAtMs = 'createdAtMs' in family ? family.createdAtMs : null;
  const common = { name, type, unit, help, created_at: isoTime(createdAtMs) };
  if (family.type !== 'histogram') return { ...common, points: family.points };
  const points = family.points.map(({ labels, buckets, sum }) => {
    return { labels, count: buckets.at(-1)?.count ?? 0, sum, buckets };
  });
  return { ...common, points };
}
