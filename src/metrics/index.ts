export { Histogram, type MetricFamily, mergedFamilies } from './family.ts';
export { openMetrics, prometheusText } from './formats.ts';
export { MetricsPage, metricsPath, type PageAnswer, textAnswer } from './metrics-page.ts';
