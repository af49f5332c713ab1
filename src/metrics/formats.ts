import { encodeUtf8 } from '#base';
import type { HistogramPoint, Labels, MetricFamily, Point } from './family.ts';

/** A representation of metrics, chosen by the header Accept of a request. */
export interface MetricsFormat {
  /** With its parameters. */
  readonly contentType: string;
  readonly write: (families: readonly MetricFamily[]) => string;
}

/** OpenMetrics 1.0 (github.com/prometheus/OpenMetrics, specification/OpenMetrics.md). */
export const openMetrics: MetricsFormat = {
  contentType: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
  write: (families) => `${families.map((each) => openMetricsFamily(each)).join('')}# EOF\n`,
};

/** Prometheus's own text format (prometheus.io/docs/instrumenting/exposition_formats), version 0.0.4. */
export const prometheusText: MetricsFormat = {
  contentType: 'text/plain; version=0.0.4; charset=utf-8',
  write: (families) => families.map((each) => prometheusFamily(each)).join(''),
};

/** The families as they are, for programs of vtr. */
export const metricsJson: MetricsFormat = {
  contentType: 'application/json',
  write: (families) => JSON.stringify({ metrics: families }),
};

/** The preferred first. */
const formats = [openMetrics, prometheusText, metricsJson];

/**
 * Returns the format that a client prefers (RFC 9110, 12.5.1). It gets OpenMetrics if it accepts none of
 * them, or does not say.
 */
export function formatAccepted(accept: string | undefined): MetricsFormat {
  const ranges = (accept ?? '').split(',').map((each) => {
    const [type = '', ...parameters] = each.split(';').map((part) => part.trim().toLowerCase());
    const weight = parameters.find((each) => each.startsWith('q='));
    return { type, quality: weight === undefined ? 1 : Number(weight.slice('q='.length)) };
  });
  const qualityOf = ({ contentType }: MetricsFormat): number => {
    const [type = ''] = contentType.split(';');
    // The most specific range counts, not the greatest quality.
    for (const named of [type, `${type.split('/')[0]}/*`, '*/*']) {
      const qualities = ranges.filter((each) => each.type === named).map(({ quality }) => quality);
      if (qualities.length > 0) return Math.max(...qualities);
    }
    return 0;
  };
  return formats.reduce((best, each) => (qualityOf(each) > qualityOf(best) ? each : best));
}

function openMetricsFamily(family: MetricFamily): string {
  const { name, type, unit, help } = family;
  const unitLine = unit === undefined ? '' : `# UNIT ${name} ${unit}\n`;
  const helpText = escapedLabel(help);
  return `# TYPE ${name} ${type}\n${unitLine}# HELP ${name} ${helpText}\n${samples(family, { withCreated: true })}`;
}

/** It knows neither `info` nor `stateset`, names a counter with its suffix, and has no times of creation. */
function prometheusFamily(family: MetricFamily): string {
  const { name, type, help } = family;
  const isKnown = type === 'counter' || type === 'histogram';
  const shown = type === 'histogram' ? name : `${name}${suffixes[type]}`;
  const head = `# HELP ${shown} ${escapedHelp(help)}\n# TYPE ${shown} ${isKnown ? type : 'gauge'}\n`;
  return `${head}${samples(family, { withCreated: false })}`;
}

const suffixes = { gauge: '', stateset: '', info: '_info', counter: '_total' } as const;

function samples(family: MetricFamily, { withCreated }: { readonly withCreated: boolean }): string {
  const { name } = family;
  if (family.type === 'histogram') {
    const created = withCreated ? family.createdAtMs : null;
    return family.points.map((point) => histogramSamples(name, point, created)).join('');
  }
  const created = withCreated && family.type === 'counter' ? family.createdAtMs : null;
  const shown = `${name}${suffixes[family.type]}`;
  return family.points.map((point) => pointSamples(name, shown, point, created)).join('');
}

/** @param created in ms; null without */
function pointSamples(
  family: string,
  name: string,
  { labels, value }: Point,
  created: number | null,
): string {
  return `${sample(name, labels, value)}${createdSample(family, labels, created)}`;
}

function histogramSamples(
  name: string,
  { labels, buckets, sum }: HistogramPoint,
  created: number | null,
): string {
  const lines = buckets.map(({ le, count }) =>
    sample(`${name}_bucket`, { ...labels, le: le === null ? '+Inf' : boundText(le) }, count),
  );
  const count = sample(`${name}_count`, labels, buckets.at(-1)?.count ?? 0);
  const all = `${lines.join('')}${count}${sample(`${name}_sum`, labels, sum)}`;
  return `${all}${createdSample(name, labels, created)}`;
}

const createdSample = (name: string, labels: Labels, created: number | null): string =>
  created === null ? '' : sample(`${name}_created`, labels, created / 1000);

function sample(name: string, labels: Labels, value: number): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escapedLabel(text)}"`);
  const set = pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
  return `${name}${set} ${valueText(value)}\n`;
}

/** A label: the same in each version, so written as the canonical number of OpenMetrics. */
const boundText = (bound: number): string => (Number.isInteger(bound) ? `${bound}.0` : `${bound}`);

function valueText(value: number): string {
  if (Number.isFinite(value)) return String(value);
  return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';
}

const escapedHelp = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');

const escapedLabel = (text: string): string => escapedHelp(text).replaceAll('"', '\\"');

/** The path of the metrics, as Prometheus asks for it. */
export const metricsPath = '/metrics';

/** An answer of HTTP. */
export interface PageAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | number>>;
  /** Empty for HEAD. */
  readonly body: Uint8Array;
}

/** Answers requests for metrics. Those at the same time share one collection. */
export class MetricsPage {
  readonly #collect: () => Promise<readonly MetricFamily[]>;
  #collecting: Promise<readonly MetricFamily[]> | null = null;

  /** @param collect what it fails with is thrown by {@link answer} */
  constructor(collect: () => Promise<readonly MetricFamily[]>) {
    this.#collect = collect;
  }

  /** @param accept the header of the request */
  async answer(method: string | undefined, accept: string | undefined): Promise<PageAnswer> {
    if (method !== 'GET' && method !== 'HEAD') {
      return textAnswer(405, 'use GET', { allow: 'GET, HEAD' });
    }
    const { contentType, write } = formatAccepted(accept);
    const body = encodeUtf8(write(await this.#families()));
    const headers = { 'content-type': contentType, 'content-length': body.length };
    return { status: 200, headers, body: method === 'HEAD' ? new Uint8Array() : body };
  }

  #families(): Promise<readonly MetricFamily[]> {
    this.#collecting ??= this.#collect().finally(() => {
      this.#collecting = null;
    });
    return this.#collecting;
  }
}

/** Returns an answer that says why there are no metrics. */
export function textAnswer(
  status: number,
  text: string,
  more: Readonly<Record<string, string>> = {},
): PageAnswer {
  const body = encodeUtf8(`${text}\n`);
  const headers = { 'content-type': 'text/plain; charset=utf-8', 'content-length': body.length };
  return { status, headers: { ...headers, ...more }, body };
}
