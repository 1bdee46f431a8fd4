package dashboards

import "fmt"

// The questions that are asked of many metrics. labels follow the matchers of
// job and instance, as `variant=~"$variant"`; by are the labels that stay.

// over writes the selector of a metric.
func over(metric, labels string) string {
	if labels != "" {
		labels = "," + labels
	}
	return metric + "{@" + labels + "}"
}

// perSecond is a counter's rate, summed.
func perSecond(metric, labels, by string) string {
	return fmt.Sprintf("sum by (%s) (rate(%s[$__rate_interval]))", by, over(metric, labels))
}

// quantile is a histogram's quantile.
func quantile(q float64, metric, labels, by string) string {
	le := "le"
	if by != "" {
		le += ", " + by
	}
	return fmt.Sprintf("histogram_quantile(%g, sum by (%s) (rate(%s[$__rate_interval])))", q, le, over(metric+"_bucket", labels))
}

// quantiles are the usual three.
func quantiles(metric, labels string) []query {
	return []query{
		{quantile(0.5, metric, labels, ""), "p50"},
		{quantile(0.95, metric, labels, ""), "p95"},
		{quantile(0.99, metric, labels, ""), "p99"},
	}
}

// mean is a histogram's mean, where there was anything to measure.
func mean(metric, labels, by string) string {
	return fmt.Sprintf("sum by (%[3]s) (rate(%[1]s[$__rate_interval])) / (sum by (%[3]s) (rate(%[2]s[$__rate_interval])) > 0)",
		over(metric+"_sum", labels), over(metric+"_count", labels), by)
}

// total is a gauge, summed.
func total(metric, labels, by string) string {
	return fmt.Sprintf("sum by (%s) (%s)", by, over(metric, labels))
}

// highest is a gauge that every node tells of the same thing.
func highest(metric, labels, by string) string {
	return fmt.Sprintf("max by (%s) (%s)", by, over(metric, labels))
}

// buckets are a histogram for a heat map.
func buckets(metric, labels string) string {
	return fmt.Sprintf("sum by (le) (increase(%s[$__rate_interval]))", over(metric+"_bucket", labels))
}

// one is a single query.
func one(expr, legend string) []query { return []query{{expr, legend}} }
