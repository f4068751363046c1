/** Labels of one value; their values are of fixed lists, never content. */
export type Labels = Readonly<Record<string, string>>

type MetricType = 'counter' | 'gauge' | 'histogram'

interface About {
  readonly name: string
  readonly help: string
}

interface Sample {
  readonly labels: Labels
  readonly value: number
}

/** Writes one metric as Prometheus reads it. */
export function metricText({ name, help }: About, kind: MetricType, samples: readonly Sample[]): string {
  const lines = samples.map((sample) => sampleLine(name, sample))
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${kind}`, ...lines, ''].join('\n')
}

function sampleLine(name: string, { labels, value }: Sample): string {
  const given = Object.entries(labels).map(([label, text]) => `${label}="${text}"`)
  return `${name}${given.length === 0 ? '' : `{${given.join(',')}}`} ${value}`
}

/** Counter with a value for each set of labels that was seen. */
export interface Counter {
  add(labels?: Labels): void
  text(): string
}

export function createCounter(about: About): Counter {
  const counted = new Map<string, { readonly labels: Labels; value: number }>()
  return {
    add(labels = {}) {
      const key = Object.values(labels).join(' ')
      const known = counted.get(key)
      if (known === undefined) counted.set(key, { labels, value: 1 })
      else known.value++
    },
    text: () => metricText(about, 'counter', [...counted.values()]),
  }
}

/** Counts of seconds up to each of some bounds. */
export interface Histogram {
  observe(seconds: number): void
  text(): string
}

export function createHistogram({ name, help }: About, bounds: readonly number[]): Histogram {
  const counts = bounds.map(() => 0)
  let count = 0
  let sum = 0
  return {
    observe(seconds) {
      const at = bounds.findIndex((bound) => seconds <= bound)
      if (at !== -1) counts[at] = (counts[at] ?? 0) + 1
      count++
      sum += seconds
    },
    text() {
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
      return [`# HELP ${name} ${help}`, `# TYPE ${name} histogram`, ...buckets, ...rest, ''].join('\n')
    },
  }
}
