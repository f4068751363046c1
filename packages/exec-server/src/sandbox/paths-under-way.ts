import type { FileLimits } from './machine-ceiling.ts'

/** Limits of one request, which ends with them. */
export type RequestLimits = FileLimits & Disposable

/** Paths that running requests may create; they are judged together, as if one request created them. */
export interface PathsUnderWay {
  all(): readonly string[]
  /** Returns limits that note each path before it is judged, until the request ends. */
  noting(limits: FileLimits | null): RequestLimits | null
}

export function createPathsUnderWay(): PathsUnderWay {
  const requests = new Set<Set<string>>()
  return {
    all: () => [...requests].flatMap((paths) => [...paths]),
    noting(limits) {
      if (limits === null) return null
      const paths = new Set<string>()
      requests.add(paths)
      return {
        ...limits,
        assertWritable(real) {
          paths.add(real)
          return limits.assertWritable(real)
        },
        assertAllWritable(reals) {
          for (const real of reals) paths.add(real)
          return limits.assertAllWritable(reals)
        },
        [Symbol.dispose]: () => void requests.delete(paths),
      }
    },
  }
}
