/** Labels of one value; their values are of fixed lists, never content. */
export type Labels = Readonly<Record<string, string>>

interface MetricName {
  readonly name: string
  readonly help: string
}

interface Sample {
  readonly labels: Labels
  readonly value: number
}

/** Writes one metric as Prometheus reads it. */
export function metricText(metric: MetricName, kind: 'counter' | 'gauge', samples: readonly Sample[]): string {
  return linesText(
    metric,
    kind,
    samples.map((sample) => sampleLine(metric.name, sample)),
  )
}

function linesText({ name, help }: MetricName, kind: string, lines: readonly string[]): string {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${kind}`, ...lines, ''].join('\n')
}

function sampleLine(name: string, { labels, value }: Sample): string {
  const given = Object.entries(labels).map(([label, text]) => `${label}="${text}"`)
  return `${name}${given.length === 0 ? '' : `{${given.join(',')}}`} ${value}`
}

/** Creates a counter with a value for each set of labels. */
export function createCounter(metric: MetricName) {
  const counted = new Map<string, { readonly labels: Labels; value: number }>()
  return {
    add(labels: Labels = {}) {
      const key = Object.values(labels).join(' ')
      const known = counted.get(key)
      if (known === undefined) counted.set(key, { labels, value: 1 })
      else known.value++
    },
    text: () => metricText(metric, 'counter', [...counted.values()]),
  }
}

/** Creates counts of seconds up to each of some bounds. */
export function createHistogram(metric: MetricName, bounds: readonly number[]) {
  const { name } = metric
  const counts = bounds.map(() => 0)
  let count = 0
  let sum = 0
  return {
    observe(seconds: number) {
      const at = bounds.findIndex((bound) => seconds <= bound)
      if (at !== -1) counts[at] = (counts[at] ?? 0) + 1
      count++
      sum += seconds
    },
    text(): string {
      let below = 0
      const buckets = bounds.map((bound, at) => {
        below += counts[at] ?? 0
        return sampleLine(`${name}_bucket`, { labels: { le: String(bound) }, value: below })
      })
      const rest = [
        sampleLine(`${name}_bucket`, { labels: { le: '+Inf' }, value: count }),
        sampleLine(`${name}_sum`, { labels: {}, value: sum }),
        sampleLine(`${name}_count`, { labels: {}, value: count }),
      ]
      return linesText(metric, 'histogram', [...buckets, ...rest])
    },
  }
}
