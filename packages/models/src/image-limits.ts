import type { ModelClient } from './port/model-client.ts'

/** Largest image that an API takes in a request. */
export interface ImageLimits {
  /** Name of the API, for people. */
  readonly api: string
  /** Bytes of the file, before it is written as base64. */
  readonly maxBytes: number
  /** Pixels of the longer side; null where the API has no limit. */
  readonly maxPixels: number | null
}

const mebibyte = 1024 * 1024

/** Limits by wire, as the providers document them (2026); base64 makes a file a third longer. */
const limits: Readonly<Record<string, ImageLimits>> = {
  anthropic: { api: 'the Anthropic API', maxBytes: (5 * mebibyte * 3) / 4, maxPixels: 8_000 },
  gemini: { api: 'the Gemini API', maxBytes: 7_000_000, maxPixels: null },
}

const otherLimits: ImageLimits = { api: 'a model', maxBytes: 10 * mebibyte, maxPixels: null }

export function imageLimitsOf({ adapter }: Pick<ModelClient, 'adapter'>): ImageLimits {
  return limits[adapter.split('/', 1)[0] ?? ''] ?? otherLimits
}
